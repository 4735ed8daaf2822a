import { component, type JsonSchema } from '../../schema/json-schema.ts'

/** `meta.highlights` of a list. */
export const highlightsSchema: JsonSchema = component('Highlights', 'service', () => ({
  type: 'array',
  description:
    'Where the words of `search` occur in the items of the page, in their order, if the request has `withHighlights`',
  items: {
    type: 'object',
    required: ['id', 'fields'],
    properties: {
      id: { type: 'string' },
      fields: {
        type: 'array',
        description: 'The searched fields in which a word occurs',
        items: {
          type: 'object',
          required: ['name', 'pieces', 'isExcerpt'],
          properties: {
            name: { type: 'string', description: 'The field, such as `title` or `author.name`' },
            pieces: {
              type: 'array',
              description: 'The text, or the part of it around the first word that was found',
              items: {
                type: 'object',
                required: ['text', 'isMatch'],
                properties: { text: { type: 'string' }, isMatch: { type: 'boolean' } },
              },
            },
            isExcerpt: {
              type: 'boolean',
              description: 'Does the text have more before or after the pieces?',
            },
          },
        },
      },
    },
  },
}))
