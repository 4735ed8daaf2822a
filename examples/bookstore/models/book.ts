import { Action, audio, field, hash, image, model, toMany, toOne } from 'resourcery'
import { z } from 'zod'
import type { Author } from './author.ts'
import type { Genre } from './genre.ts'
import type { Publisher } from './publisher.ts'

const isbn = z
  .string()
  .regex(/^(?:97[89])?\d{9}[\dX]$/, 'expected are 10 or 13 digits without hyphens')

const dimensions = z.object({
  width: z.number().positive().meta({ description: 'Millimetres' }),
  height: z.number().positive().meta({ description: 'Millimetres' }),
  depth: z.number().positive().meta({ description: 'Millimetres' }),
})

const edition = z.object({
  format: z.enum(['hardcover', 'paperback', 'ebook', 'audiobook']),
  year: z.int(),
  isbn: isbn.optional(),
})

const reduction = z.object({
  percent: z
    .number()
    .min(0)
    .max(100)
    .meta({ description: 'How much is taken off', examples: [10] }),
})

const delivery = z.object({
  amount: z
    .int()
    .positive()
    .meta({ description: 'Copies that arrived', examples: [12] }),
})

const onShelf = z.object({ stock: z.int().meta({ description: 'Copies on the shelf now' }) })

export class Book extends model(
  'book',
  {
    title: field(
      z
        .string()
        .min(1)
        .max(300)
        .meta({ description: 'Title as printed', examples: ['Frankenstein'] }),
      { index: true },
    ),
    isbn: field(isbn.optional().meta({ description: 'ISBN of the edition on sale' }), {
      unique: true,
    }),
    price: field(
      z
        .number()
        .nonnegative()
        .meta({ description: 'Price in euros', examples: [9.5] }),
      { index: true },
    ),
    inStock: z.boolean().default(true).meta({ description: 'Can it be sent at once?' }),
    stock: z
      .int()
      .nonnegative()
      .default(0)
      .meta({ description: 'Copies on the shelf', examples: [12] }),
    pageCount: field(z.int().positive().optional(), {
      wire: 'pages',
      description: 'Number of pages',
      example: 280,
    }),
    publishedAt: field(
      z.iso
        .date()
        .optional()
        .meta({ description: 'First published', examples: ['1818-01-01'] }),
      { index: true },
    ),
    tags: z
      .array(z.string().min(1).max(50))
      .max(20)
      .default([])
      .meta({ description: 'Free words', examples: [['classic']] }),
    dimensions: dimensions.optional(),
    editions: z
      .array(edition)
      .max(50)
      .default([])
      .meta({ description: 'Editions known to the shop' }),
    costPrice: field(z.number().nonnegative().optional(), { hidden: true }),
    author: toOne<Author>('author', { onDelete: 'restrict', description: 'Who wrote it' }),
    publisher: toOne<Publisher>('publisher', {
      optional: true,
      onDelete: 'set-null',
      description: 'Who published it first',
    }),
    genres: toMany<Genre>('genre', { description: 'Where it stands in the shop' }),
    cover: image({
      maxBytes: 5_000_000,
      maxPixels: 16_000_000,
      variants: { formats: ['png', 'jpeg', 'webp', 'avif'], sizes: [64, 128, 256, 512, 1024] },
      description: 'The front cover',
    }),
    sample: audio({ maxBytes: 20_000_000, description: 'A few minutes, read aloud' }),
    hash: hash(),
  },
  {
    exampleId: 'frankenstein',
    aggregate: ['price', 'inStock', 'publishedAt', 'tags', 'author', 'publisher', 'genres'],
    search: { title: 4, 'author.name': 2, 'publisher.name': 1 },
  },
) {
  @Action({ input: reduction, description: 'Lowers the price' })
  discount({ percent }: { percent: number }): void {
    this.price = Math.round(this.price * (100 - percent)) / 100
  }

  @Action({ input: delivery, output: onShelf, description: 'Puts more copies on the shelf' })
  restock({ amount }: { amount: number }): { stock: number } {
    this.stock += amount
    return { stock: this.stock }
  }
}
