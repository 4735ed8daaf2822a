import { field, model, toOne } from 'resourcery'
import { z } from 'zod'
import type { Book } from './book.ts'

export class Review extends model(
  'review',
  {
    rating: z
      .int()
      .min(1)
      .max(5)
      .meta({ description: 'Stars', examples: [4] }),
    text: z
      .string()
      .max(10_000)
      .optional()
      .meta({ description: 'What the reviewer says', examples: ['I read it in one night.'] }),
    reviewer: z
      .string()
      .min(1)
      .max(100)
      .meta({ description: 'Name to show', examples: ['Ida'] }),
    email: field(z.email().max(254).optional(), {
      writeOnly: true,
      description: 'For questions; never shown',
      example: 'ida@example.org',
    }),
    book: toOne<Book>('book', { onDelete: 'cascade', description: 'What is reviewed' }),
    createdAt: field(
      z.iso.datetime().default(() => new Date().toISOString()),
      { readOnly: true, index: true, description: 'When it was written' },
    ),
  },
  { exampleId: 'r-001' },
) {}
