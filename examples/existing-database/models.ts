import { hash, model, toMany, toOne } from 'resourcery'
import { z } from 'zod'

// As `resourcery pull` writes them, in one file.
export const Film = model(
  'film',
  {
    title: z.string().max(80).min(1),
    year: z.int32().min(1888).nullable().default(null),
    director: toOne('person', { optional: true, onDelete: 'restrict' }),
    actors: toMany('person', {
      through: { table: 'public.film_actor', owner: 'film_id', target: 'actor_id' },
    }),
    hash: hash(),
  },
  { table: 'public.films', key: 'film_id', ids: 'server' },
)

export const Person = model(
  'person',
  {
    name: z.string(),
    films: toMany('film', { inverse: 'director' }),
    filmsByActors: toMany('film', { inverse: 'actors' }),
    hash: hash(),
  },
  { table: 'public.people', ids: 'server' },
)
