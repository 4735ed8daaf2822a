import { pascalOf } from '../../model/naming.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import type { Limits } from '../limits.ts'
import { type DocumentedParameter, dependsOn } from '../parameter.ts'

/** The members of `page`, with the limits that are kept. */
export function documentedPages(limits: Limits): readonly DocumentedParameter[] {
  const { maxOffset } = limits
  const size = { ...sizeSchema(limits), default: limits.pageSize }
  const number: JsonSchema = { type: 'integer', minimum: 1, maximum: maxOffset + 1, [dependsOn]: 'page[size]' }
  const offset: JsonSchema = { type: 'integer', minimum: 0, maximum: maxOffset }
  const cursor: JsonSchema = { type: 'string' }
  return [
    documented('size', 'How many items a page holds, where one is asked for.', size),
    documented(
      'number',
      `Which page, counted from 1. Pages begin within the first ${maxOffset} items; cursors reach further.`,
      number,
      1,
    ),
    documented('after', 'The items behind this cursor, taken from a link of another page.', cursor),
    documented('before', 'The items before this cursor, taken from a link of another page.', cursor),
    documented('limit', 'How many items are sent, counted from the offset.', size),
    documented('offset', 'How many items are left out at the start.', offset),
  ]
}

function documented(member: string, description: string, schema: JsonSchema, example?: number): DocumentedParameter {
  const shared = `Page${pascalOf(member)}`
  return { name: `page[${member}]`, description, schema, example, written: 'plain', shared }
}

export function sizeSchema({ maxPageSize }: Limits): JsonSchema {
  return { type: 'integer', minimum: 1, maximum: maxPageSize }
}
