import { deleteSector, getSector, listSectors, patchSector } from '../../nouns/sectors/api.ts';
import { lister } from '../database/list-rows.ts';
import { deleted, owned, pick, type RouteFactory, responseFields, route } from '../server/route.ts';

export const sectorRoutes: RouteFactory = (store, habits) => {
  const fields = responseFields(getSector);
  const list = lister(store, habits, 'sectors', fields);
  return [
    // This list has no parameters, so it is never paged.
    route(listSectors, ({ organizationId, list: query }) => ({
      status: 200,
      body: list(organizationId, { ...query, limit: undefined }),
    })),
    route(getSector, ({ params, organizationId }) => ({
      status: 200,
      body: pick(owned(store, 'sectors', params.id, organizationId), fields),
    })),
    route(patchSector, ({ params, organizationId, body }) => {
      owned(store, 'sectors', params.id, organizationId);
      store.update('sectors', params.id, body);
      return { status: 200, body: pick(store.find('sectors', params.id)!, fields) };
    }),
    route(deleteSector, ({ params, organizationId }) => {
      owned(store, 'sectors', params.id, organizationId);
      return deleted(habits, () => store.delete('sectors', params.id));
    }),
  ];
};
