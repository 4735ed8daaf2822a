import { toPascalCase } from '../../model/naming.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import { type DocumentedParameter, dependsOnKeyword } from '../query-parameter.ts'
import type { RouterLimits } from '../router-limits.ts'

/** The members of `page`, with the limits that are kept. */
export function describePage(limits: RouterLimits): readonly DocumentedParameter[] {
  const { maxOffset } = limits
  const size = { ...pageSizeSchema(limits), default: limits.defaultPageSize }
  const number: JsonSchema = {
    type: 'integer',
    minimum: 1,
    maximum: maxOffset + 1,
    [dependsOnKeyword]: 'page[size]',
  }
  const offset: JsonSchema = { type: 'integer', minimum: 0, maximum: maxOffset }
  const cursor: JsonSchema = { type: 'string' }
  return [
    describePageMember('size', 'How many items a page holds, where one is asked for.', size),
    describePageMember(
      'number',
      `Which page, counted from 1. Pages begin within the first ${maxOffset} items; cursors reach further.`,
      number,
      1,
    ),
    describePageMember(
      'after',
      'The items behind this cursor, taken from a link of another page.',
      cursor,
    ),
    describePageMember(
      'before',
      'The items before this cursor, taken from a link of another page.',
      cursor,
    ),
    describePageMember('limit', 'How many items are sent, counted from the offset.', size),
    describePageMember('offset', 'How many items are left out at the start.', offset),
  ]
}

function describePageMember(
  member: string,
  description: string,
  schema: JsonSchema,
  example?: number,
): DocumentedParameter {
  const shared = `Page${toPascalCase(member)}`
  return {
    name: `page[${member}]`,
    description,
    schema,
    example,
    style: 'plain',
    componentName: shared,
  }
}

export function pageSizeSchema({ maxPageSize }: RouterLimits): JsonSchema {
  return { type: 'integer', minimum: 1, maximum: maxPageSize }
}
