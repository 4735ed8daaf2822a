import { z } from 'zod'
import { field, hash, image, list, model, struct, toMany, toOne } from '../../index.ts'
import {
  createStoredItem,
  describeModels,
  type ModelDescription,
  type StoredItem,
  type StoredValues,
} from '../../store/public.ts'

const Publisher = model('publisher', {
  name: z.string().nullish(),
  country: z.string().nullish(),
  authors: toMany('author', { inverse: 'publisher' }),
})

const Author = model('author', {
  name: field(z.string().nullish(), { wire: 'fullName' }),
  rating: z.number().nullish(),
  born: z.int().nullish(),
  alive: z.boolean().nullish(),
  pseudonym: field(z.string().nullish(), { hidden: true }),
  languages: z.array(z.string()).nullish(),
  publisher: toOne('publisher', { optional: true, wire: 'publisherId' }),
  books: toMany('book', { inverse: 'author' }),
})

const Genre = model('genre', {
  title: z.string().nullish(),
  parent: toOne('genre', { optional: true }),
  children: toMany('genre', { inverse: 'parent' }),
  books: toMany('book', { inverse: 'genres' }),
})

const Book = model(
  'book',
  {
    title: field(z.string().nullish(), { wire: 'subtitle' }),
    // The wire name of each field is the name of the other in the model.
    subtitle: field(z.string().nullish(), { wire: 'title' }),
    isbn: field(z.string().nullish(), { unique: true }),
    price: field(z.number().nullish(), { index: true }),
    pages: field(z.int().nullish(), { wire: 'pageCount', index: true }),
    inStock: z.boolean().nullish(),
    notes: field(z.string().nullish(), { hidden: true }),
    secret: field(z.number().nullish(), { writeOnly: true }),
    tags: z.array(z.string().nullable()).nullish(),
    scores: z.array(z.number()).nullish(),
    flags: field(z.array(z.boolean()).nullish(), { hidden: true }),
    dimensions: z
      .object({
        width: z.number().nullish(),
        cover: z
          .object({
            material: z.string().nullish(),
            isHard: z.boolean().nullish(),
            weight: z.int().nullish(),
            labels: z.array(z.string()).nullish(),
          })
          .nullish(),
      })
      .nullish(),
    extra: z.unknown().optional(),
    author: toOne('author', { optional: true }),
    genres: toMany('genre', { wire: 'genreIds' }),
    hash: hash(),
  },
  {
    indexes: [
      ['inStock', '-price'],
      ['author', '-pages', 'title'],
      ['notes', 'price'],
    ],
    // A store may have an index of these words.
    search: ['title', 'author.name', 'dimensions.cover.material'],
  },
)

/** Names that a careless store would confuse with its own or with each other. */
const Odd = model('Table', {
  order: z.string().nullish(),
  group: z.int().nullish(),
  select: field(z.string().nullish(), { hidden: true }),
  Name: field(z.string().nullish(), { column: 'upper_name' }),
  name: z.string().nullish(),
  text: z.string().nullish(),
  revision: z.int().nullish(),
  rowid: z.int().nullish(),
  'from-to': z.string().nullish(),
  where: z
    .object({
      and: z.string().nullish(),
      "it's": z.string().nullish(),
      'a.b': z.string().nullish(),
    })
    .nullish(),
  index: toOne('Table', { optional: true }),
  join: toMany('Table'),
  on: toMany('Table', { inverse: 'index' }),
})

export const models: readonly ModelDescription[] = describeModels([
  Publisher,
  Author,
  Genre,
  Book,
  Odd,
])

const [publisherModel, authorModel, genreModel, bookModel, oddModel] = models as readonly [
  ModelDescription,
  ModelDescription,
  ModelDescription,
  ModelDescription,
  ModelDescription,
]
export const publisher: ModelDescription = publisherModel
export const author: ModelDescription = authorModel
export const genre: ModelDescription = genreModel
export const book: ModelDescription = bookModel
export const odd: ModelDescription = oddModel

const [paintingModel] = describeModels([
  model('painting', { photo: image(), views: list(struct({ scan: image() })), hash: hash() }),
]) as readonly [ModelDescription]
/** Has binary resources, and hides only their blob keys. */
export const painting: ModelDescription = paintingModel

/**
 * What a store keeps of an item. Its version and its revision are left out: a store of tables makes
 * them itself.
 */
export function contentOf(item: StoredItem): object {
  const { id, text, relationsOffset, hiddenText, hash } = item
  const body = hash === null ? text : text.replace(`"${hash}"}`, '"version"}')
  return { id, body, relationsOffset, hiddenText, hasVersion: hash !== null }
}

/** The stored form of an item with the model's own names. */
export function itemOf(of: ModelDescription, values: StoredValues, revision = 1): StoredItem {
  return createStoredItem(of, values, revision, 'salt')
}
