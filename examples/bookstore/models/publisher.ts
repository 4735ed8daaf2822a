import { model } from 'resourcery'
import { z } from 'zod'

/** Without a hash: its ETag is the CRC32 of its JSON text. */
export class Publisher extends model(
  'publisher',
  {
    name: z
      .string()
      .min(1)
      .max(200)
      .meta({ description: 'Name of the house', examples: ['Chapman & Hall'] }),
    country: z
      .string()
      .regex(/^[A-Z]{2}$/, 'expected is a country code of two capital letters (ISO 3166-1 alpha-2)')
      .optional()
      .meta({ description: 'Country, as ISO 3166-1 alpha-2', examples: ['GB'] }),
    founded: z
      .int()
      .optional()
      .meta({ description: 'Year of foundation', examples: [1830] }),
  },
  { exampleId: 'chapman-and-hall' },
) {}
