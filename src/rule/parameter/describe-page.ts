import { toPascalCase } from '../../model/naming.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import { type DocumentedParameter, dependsOnKeyword } from '../query-parameter.ts'
import type { RouterLimits } from '../router-limits.ts'

/** The members of `page`. */
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
    describePageMember('size', 'Number of items on a page.', size),
    describePageMember(
      'number',
      `Page number, from 1. A page starts within the first ${maxOffset} items. Use cursors to go further.`,
      number,
      1,
    ),
    describePageMember(
      'after',
      'Returns the items after this cursor. Take the cursor from a page link.',
      cursor,
    ),
    describePageMember(
      'before',
      'Returns the items before this cursor. Take the cursor from a page link.',
      cursor,
    ),
    describePageMember('limit', 'Number of items after the offset.', size),
    describePageMember('offset', 'Number of items to skip.', offset),
  ]
}

function describePageMember(
  member: string,
  description: string,
  schema: JsonSchema,
  example?: number,
): DocumentedParameter {
  return {
    name: `page[${member}]`,
    description,
    schema,
    example,
    style: 'plain',
    componentName: `Page${toPascalCase(member)}`,
  }
}

export function pageSizeSchema({ maxPageSize }: RouterLimits): JsonSchema {
  return { type: 'integer', minimum: 1, maximum: maxPageSize }
}
