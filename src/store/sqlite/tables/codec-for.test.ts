import { expect, test } from 'vitest'
import type { ColumnType } from '../../tables/column-type.ts'
import type { BaseType } from '../../tables/schema/database-type.ts'
import { sqliteCodecFor } from './codec-for.ts'
import { declaredType } from './declared-type.ts'

test.each<[ColumnType, string, boolean]>([
  ['text', 'NVARCHAR(120)', true],
  ['text', '', true],
  ['text', 'INTEGER', false],
  ['instant', 'DATETIME', true],
  ['date', 'date', true],
  ['number', 'NUMERIC(10, 2)', true],
  ['number', 'double precision', true],
  ['integer', 'BIGINT', true],
  ['integer', 'varchar', false],
  ['boolean', 'boolean', true],
  ['json', 'json', true],
  ['id', 'INTEGER', true],
  ['id', 'NUMERIC', true],
  ['id', 'decimal(10, 0)', true],
  ['id', 'decimal(10, 2)', false],
  ['id', 'uuid', false],
  ['id', 'blob', false],
])('a field of the type %s in %j: %s', (type, declaration, fits) => {
  expect(sqliteCodecFor(type, declaredType(declaration)) !== undefined).toBe(fits)
})

test.each<[string, string, boolean]>([
  ['integer', '12', true],
  ['integer', '-3', true],
  ['integer', '01', false],
  ['integer', '+1', false],
  ['integer', '9223372036854775808', false],
  ['integer', 'abc', false],
  ['numeric', '12', true],
  ['numeric', '1.5', false],
  ['text', 'abc', true],
])('a column of %s may have the id %j: %s', (declaration, id, isPossible) => {
  const codec = sqliteCodecFor('id', declaredType(declaration))!
  expect(codec.canonical(id)).toBe(isPossible ? id : undefined)
})

test.each([
  ['text', 'text', true],
  ['integer', 'integer', true],
  ['json', 'any', false],
  ['json', 'blob', false],
  ['text', 'blob', false],
] as const)('a strict table keeps BLOBs out of a column: %s in %s', (type, declaration, isKept) => {
  const mayHaveBlobs = (column: BaseType) => {
    const { form } = sqliteCodecFor(type, column)!
    return form.kind === 'native' && form.isUnshown !== undefined
  }
  expect(mayHaveBlobs(declaredType(declaration))).toBe(true)
  expect(mayHaveBlobs({ ...declaredType(declaration), isStrict: true })).toBe(!isKept)
})
