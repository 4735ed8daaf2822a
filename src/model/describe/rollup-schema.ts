import type { JsonSchema } from '../../schema/json-schema.ts'
import type { Schema } from '../../schema/standard-schema.ts'
import type { RollupFunction } from '../declare/rollup-declaration.ts'
import { createSchema } from '../declare/struct-schema.ts'
import { invalidResult, validResult } from '../declare/struct-validation.ts'
import { isDecimal, type ScalarType } from '../value-type.ts'

/**
 * The schema of a rollup. Its default is the value without related items, so that nobody has to
 * send one, and items from before the field was declared have one too.
 * @param type of the field that is added up or compared; undefined for the number of items
 */
export function rollupSchema(term: RollupFunction, type: ScalarType | undefined): Schema {
  const schema = jsonSchemaOf(term, type)
  const isNullable = term !== 'count' && term !== 'sum'
  const types = [isText(type) ? 'string' : 'number', ...(isNullable ? ['null'] : [])]
  const empty = isNullable ? null : isText(type) ? '0' : 0
  return createSchema(
    {},
    (value) =>
      value === undefined
        ? validResult(empty)
        : types.includes(value === null ? 'null' : typeof value)
          ? validResult(value)
          : invalidResult(`expected ${types.map((name) => `a ${name}`).join(' or ')}`),
    () => ({
      ...schema,
      ...(isNullable && { type: [schema.type as 'string', 'null'] }),
      default: empty,
    }),
  )
}

function jsonSchemaOf(term: RollupFunction, type: ScalarType | undefined): JsonSchema {
  if (type === undefined || term === 'count') return { type: 'integer', minimum: 0 }
  if (type.kind === 'text')
    return {
      type: 'string',
      ...(type.format !== undefined && !type.values && { format: type.format }),
      ...(isDecimal(type) && { pattern: '^-?(?:0|[1-9]\\d*)(?:\\.\\d+)?$' }),
    }
  // A sum of integers may be larger than the integers of databases.
  return {
    type: type.kind === 'integer' && term !== 'sum' && term !== 'avg' ? 'integer' : 'number',
  }
}

function isText(type: ScalarType | undefined): boolean {
  return type?.kind === 'text'
}
