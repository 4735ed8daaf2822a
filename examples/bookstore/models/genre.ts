import { model, toMany, toOne } from 'resourcery'
import { z } from 'zod'

/** Clients choose the ids of genres: slugs, such as `gothic-fiction`. */
export class Genre extends model(
  'genre',
  {
    name: z
      .string()
      .min(1)
      .max(100)
      .meta({ description: 'Name of the genre', examples: ['Gothic fiction'] }),
    parent: toOne<Genre>('genre', {
      optional: true,
      description: 'The wider genre',
      example: 'fiction',
    }),
    children: toMany('genre', {
      inverse: 'parent',
      description: 'The narrower genres',
      example: ['ghost-stories'],
    }),
  },
  { ids: 'client', exampleId: 'gothic-fiction' },
) {}
