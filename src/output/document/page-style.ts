/**
 * Some CI servers block CSS. So the order and the words of a page must not depend on this style.
 */
export const PAGE_STYLE = `
:root{color-scheme:light dark;--ink:#1c2430;--soft:#566070;--line:#d8dde4;--faint:#f4f6f8;--paper:#fff;--accent:#1f5fbf;--good:#1e7b45;--attention:#9a5b00;--bad:#b3261e}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ee;--soft:#a3adba;--line:#39414d;--faint:#20262e;--paper:#161b21;--accent:#8ab4f8;--good:#6fce95;--attention:#f0b357;--bad:#ff8a80}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:52rem;margin:0 auto;padding:2.5rem 1.75rem 2rem}
.place{margin:0;color:var(--soft);font-size:.85rem;overflow-wrap:anywhere}
h1{margin:.2rem 0 1rem;font-size:1.8rem;line-height:1.2;font-weight:650;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{margin:2.5rem 0 .7rem;padding-top:1.3rem;border-top:1px solid var(--line);font-size:1.15rem;line-height:1.3;font-weight:650}
h3{margin:1.4rem 0 .35rem;font-size:.97rem;line-height:1.4;font-weight:600;overflow-wrap:anywhere}
.lead{margin:0;padding:.9rem 1.15rem;border-left:4px solid var(--accent);border-radius:0 6px 6px 0;background:var(--faint);font-size:1.12rem;overflow-wrap:anywhere}
.lead strong{font-weight:550}
.lead.good{border-color:var(--good)}.lead.attention{border-color:var(--attention)}.lead.bad{border-color:var(--bad)}
h2.attention{color:var(--attention)}h2.bad{color:var(--bad)}
p{margin:.5rem 0;overflow-wrap:anywhere}
ul{margin:.5rem 0;padding-left:1.2rem}
li{margin:.3rem 0;overflow-wrap:anywhere}
pre{margin:.4rem 0 1rem;padding:.65rem .9rem;border:1px solid var(--line);border-radius:6px;background:var(--faint);white-space:pre-wrap;overflow-wrap:anywhere}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono","DejaVu Sans Mono",monospace}
code{font-size:.88em}pre code{font-size:.92em}
table{width:100%;margin:.3rem 0 1.2rem;border:0;border-collapse:collapse;font-size:.95em;font-variant-numeric:tabular-nums}
th,td{padding:.4rem 1rem .4rem 0;border:0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th:last-child,td:last-child{width:auto;padding-right:0}
thead th{border-bottom-color:var(--soft);color:var(--soft);font-size:.85em;font-weight:600;white-space:nowrap}
.right{width:1%;text-align:right;white-space:nowrap}
.code{width:1%;white-space:nowrap}
.long{overflow-wrap:anywhere}
.facts th{width:30%;color:var(--soft);font-weight:500}
.facts td{overflow-wrap:anywhere}
details{margin:.5rem 0 1.2rem}
details table{margin-top:.6rem}
summary{cursor:pointer;font-weight:600}
svg{display:block;max-width:100%;height:auto;margin:.5rem 0 1rem;color:var(--ink)}
.rest{color:var(--soft);font-size:.9rem}
footer{margin-top:3rem;padding-top:1rem;border-top:1px solid var(--line);color:var(--soft);font-size:.85rem}
@media (max-width:40rem){main{padding:1.25rem 1rem}h1{font-size:1.4rem}th,td{padding-right:.6rem}}
@page{size:A4;margin:16mm 15mm}
@media print{
:root{--ink:#000;--soft:#444;--line:#bbb;--faint:#f5f5f5;--paper:#fff;--accent:#1f5fbf;--good:#1e7b45;--attention:#7a4700;--bad:#9c1f18}
body{font-size:10pt}
main{max-width:none;padding:0}
h1{font-size:19pt}
h2{margin-top:1.6rem}
h2,h3,summary{break-after:avoid}
thead{display:table-header-group}
tr,svg,pre,.lead{break-inside:avoid}
}
`.trim();
