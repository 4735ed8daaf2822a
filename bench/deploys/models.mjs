// The bookstore before a change of the model of books, and after each of them.

import { field, hash, image, model, toMany, toOne } from 'resourcery'
import { z } from 'zod'

const Author = model('author', { name: z.string(), born: z.string(), bio: z.string() })
const Publisher = model('publisher', { name: z.string(), country: z.string(), founded: z.int() })
const Genre = model('genre', { name: z.string() }, { ids: 'client' })

const fields = {
  title: z.string().min(1).max(300),
  price: field(z.number().nonnegative(), { index: true }),
  inStock: z.boolean().default(true),
  stock: z.int().nonnegative().default(0),
  pages: z.int().positive().optional(),
  publishedAt: z.iso.date().optional(),
  tags: z.array(z.string()).default([]),
  dimensions: z.object({ width: z.number(), height: z.number(), depth: z.number() }).optional(),
  editions: z.array(z.object({ format: z.string(), year: z.int(), isbn: z.string() })).default([]),
}

const others = {
  author: toOne('author', { onDelete: 'restrict' }),
  publisher: toOne('publisher', { optional: true }),
  genres: toMany('genre'),
  hash: hash(),
}

const { pages, ...withoutPages } = fields

/**
 * The fields of a book, by the change that leads to them.
 *
 * @type {Readonly<Record<string, Record<string, any>>>}
 */
export const CHANGES = {
  nothing: fields,
  'an optional field': { ...fields, subtitle: z.string().optional() },
  'a nullable field': { ...fields, subtitle: z.string().nullable().default(null) },
  'a field with a default': { ...fields, language: z.string().default('en') },
  'an indexed field with a default': {
    ...fields,
    language: field(z.string().default('en'), { index: true }),
  },
  'a field renamed': { ...withoutPages, pageCount: field(pages, { was: 'pages' }) },
  'an indexed field renamed': {
    ...fields,
    price: undefined,
    cost: field(z.number().nonnegative(), { index: true, was: 'price' }),
  },
  'a field hidden': { ...fields, stock: field(fields.stock, { hidden: true }) },
  'a field filled in': {
    ...fields,
    year: field(z.int(), { backfill: (old) => Number(String(old.publishedAt).slice(0, 4)) }),
  },
}

/**
 * @param {string} change
 * @param {boolean} hasImages do books have a file field?
 */
export function modelsAfter(change, hasImages) {
  const changed = CHANGES[change]
  if (!changed) throw new Error(`There is no change '${change}'.`)
  const declared = Object.fromEntries(Object.entries(changed).filter(([, schema]) => schema))
  const Book = model(
    'book',
    /** @type {any} */ ({ ...declared, ...others, ...(hasImages && { cover: image() }) }),
    change === 'an indexed field renamed' ? {} : { indexes: [['inStock', '-price']] },
  )
  return { Author, Publisher, Genre, Book }
}
