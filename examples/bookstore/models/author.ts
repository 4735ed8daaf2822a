import { field, hash, image, model, toMany } from 'resourcery'
import { z } from 'zod'
import type { Book } from './book.ts'

export class Author extends model(
  'author',
  {
    name: field(
      z
        .string()
        .min(1)
        .max(200)
        .meta({ description: 'Full name as printed', examples: ['Mary Shelley'] }),
      { index: true },
    ),
    born: z.iso
      .date()
      .optional()
      .meta({ description: 'Date of birth', examples: ['1797-08-30'] }),
    bio: z
      .string()
      .max(5_000)
      .optional()
      .meta({ description: 'A few sentences about the author', examples: ['English novelist.'] }),
    portrait: image({
      maxBytes: 5_000_000,
      maxPixels: 16_000_000,
      description: 'A picture of the author',
    }),
    books: toMany<Book>('book', {
      inverse: 'author',
      description: 'The books of the author',
      example: ['frankenstein', 'the-last-man'],
    }),
    hash: hash(),
  },
  { exampleId: 'mary-shelley' },
) {}
