import { describe, expect, it } from 'vitest'
import type { DescribedOperation } from './described-operation.ts'
import { idsInBody } from './ids-in-body.ts'

const author = { type: 'string', 'x-resourcery-relates-to': 'authors' }
const identifier = (plural: string) => ({
  type: 'object',
  properties: { type: { const: plural }, id: { type: 'string' } },
})
const document = {
  components: {
    schemas: {
      Author: author,
      Circle: { allOf: [{ $ref: '#/components/schemas/Circle' }, { type: 'object' }] },
    },
  },
}

function idsOf(schema: unknown, body: unknown): Record<string, readonly string[]> {
  const content = new Map([['application/json', { value: schema, pointer: '' }]])
  const ids = idsInBody(document, {
    operation: { body: { isRequired: true, content } } as unknown as DescribedOperation,
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return Object.fromEntries(Array.from(ids, ([plural, each]) => [plural, [...each]]))
}

describe('The ids in a body', () => {
  it('are the values of members that relate to a collection, and no equal texts', () => {
    const schema = {
      properties: {
        title: { type: 'string' },
        author: { $ref: '#/components/schemas/Author' },
        editors: { oneOf: [{ type: 'null' }, { type: 'array', items: author }] },
        removed: { 'x-resourcery-removes': 'books' },
        notes: { additionalProperties: { anyOf: [author, { type: 'string' }] } },
      },
    }
    const body = {
      title: 'a1',
      unknown: 'a2',
      author: 'a3',
      editors: ['a4', 'a5'],
      removed: 'b1',
      notes: { a6: 'a7' },
    }
    expect(idsOf(schema, body)).toEqual({ authors: ['a3', 'a4', 'a5', 'a7'], books: ['b1'] })
  })

  it('are those of resources by their type', () => {
    const schema = {
      properties: {
        data: {
          allOf: [identifier('books')],
          properties: {
            attributes: { properties: { title: { type: 'string' } } },
            relationships: {
              properties: { author: { properties: { data: identifier('authors') } } },
            },
          },
        },
      },
    }
    const data = {
      type: 'books',
      id: 'b1',
      attributes: { title: 'a2' },
      relationships: { author: { data: { type: 'authors', id: 'a1' } } },
    }
    expect(idsOf(schema, { data })).toEqual({ books: ['b1'], authors: ['a1'] })
    expect(idsOf(schema, { data: { ...data, type: 'films' } })).toEqual({ authors: ['a1'] })
  })

  it('are none in what is no JSON, or has no schema', () => {
    expect([idsOf(author, '"a1'), idsOf({}, 'a1'), idsOf(undefined, '"a1"')]).toEqual([{}, {}, {}])
    expect(idsOf({ $ref: '#/components/schemas/Circle' }, { id: 'a1' })).toEqual({})
  })
})
