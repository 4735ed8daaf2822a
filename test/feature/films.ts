import { field, hash, type LoadedItem, model, toMany, toOne } from 'resourcery'
import { z } from 'zod'

/** A country has studios, a studio has films, and a film follows others: for tests of lists. */
export const Country = model('country', {
  name: z.string(),
  population: z.int().optional(),
})

export const Studio = model('studio', {
  name: z.string(),
  founded: z.int().optional(),
  budget: field(z.number().optional(), { hidden: true }),
  country: toOne('country', { optional: true }),
  films: toMany('film', { inverse: 'studio' }),
})

export const Genre = model('genre', {
  name: z.string(),
  films: toMany('film', { inverse: 'genres' }),
})

export const Film = model('film', {
  title: z.string().nullish(),
  year: z.int().nullish(),
  rating: z.number().nullish(),
  restored: z.boolean().nullish(),
  released: z.iso.date().nullish(),
  seenAt: z.iso.datetime().nullish(),
  format: z.enum(['silent', 'sound']).nullish(),
  length: field(z.int().nullish(), { wire: 'minutes' }),
  size: z.object({ width: z.number(), frame: z.object({ code: z.string() }).optional() }).nullish(),
  tags: z.array(z.string()).nullish(),
  scores: z.array(z.number()).nullish(),
  notes: field(z.string().optional(), { filter: false, sort: false }),
  costPrice: field(z.number().optional(), { hidden: true }),
  password: field(z.string().optional(), { writeOnly: true }),
  studio: toOne('studio', { optional: true }),
  genres: toMany('genre'),
  sequelOf: toOne('film', { optional: true }),
  sequels: toMany('film', { inverse: 'sequelOf' }),
  hash: hash(),
})

export const models = [Country, Studio, Genre, Film]

export const countries = [
  { id: 'de', name: 'Germany', population: 83 },
  { id: 'us', name: 'United States', population: 340 },
]

export const studios = [
  { id: 's-1', name: 'UFA', founded: 1917, country: 'de' },
  { id: 's-2', name: 'Nero', founded: 1925, country: 'de' },
  { id: 's-3', name: 'Fox', country: 'us' },
  { id: 's-4', name: 'Nowhere' },
]

export const genres = [
  { id: 'g-1', name: 'Science fiction' },
  { id: 'g-2', name: 'Thriller' },
  { id: 'g-3', name: 'Horror' },
]

export const films = [
  {
    id: 'f-1',
    title: 'Metropolis',
    year: 1927,
    rating: 8.3,
    restored: true,
    released: '1927-01-10',
    seenAt: '2024-05-01T12:00:00Z',
    format: 'silent',
    length: 153,
    size: { width: 35, frame: { code: 'full' } },
    tags: ['city', 'robot'],
    scores: [1, 2.5],
    costPrice: 5,
    password: 'x',
    studio: 's-1',
    genres: ['g-1'],
  },
  {
    id: 'f-2',
    title: 'M',
    year: 1931,
    rating: 8.3,
    restored: false,
    released: '1931-05-11',
    format: 'sound',
    length: 117,
    size: { width: 35 },
    tags: ['city', 'crime'],
    scores: [2.5],
    studio: 's-2',
    genres: ['g-2'],
  },
  {
    id: 'f-3',
    title: 'Alien',
    year: 1979,
    rating: 8.5,
    restored: true,
    released: '1979-05-25',
    seenAt: '2025-01-01T00:00:00Z',
    format: 'sound',
    length: 117,
    size: { width: 70, frame: { code: 'wide' } },
    tags: ['space', 'robot', 'crew'],
    scores: [],
    studio: 's-3',
    genres: ['g-1', 'g-3'],
  },
  {
    id: 'f-4',
    title: 'Aliens',
    year: 1986,
    rating: -0.5,
    studio: 's-3',
    genres: ['g-1', 'g-2', 'g-3'],
    sequelOf: 'f-3',
    tags: [],
  },
  {
    id: 'f-5',
    title: "It's a 'Wonderful', Life (100%)",
    year: 1946,
    restored: false,
    studio: 's-4',
  },
  { id: 'f-6' },
] satisfies readonly LoadedItem<typeof Film>[]

/** Every id, in order, for expectations that exclude some. */
export const allFilms = films.map((film) => film.id)
