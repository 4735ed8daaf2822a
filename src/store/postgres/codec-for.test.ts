import { expect, test } from 'vitest'
import type { ColumnType } from '../tables/column-type.ts'
import type { DatabaseType } from '../tables/schema/database-type.ts'
import { postgresCodecFor } from './codec-for.ts'

const base = (name: string): DatabaseType => ({ kind: 'base', name })
const domain = (inner: DatabaseType): DatabaseType => ({
  kind: 'domain',
  name: 'd',
  base: inner,
  isNullable: true,
  checks: [],
})

test.each<[ColumnType, DatabaseType, boolean]>([
  ['text', base('character varying'), true],
  ['text', domain(domain(base('text'))), true],
  ['text', base('bigint'), true],
  ['text', base('inet'), true],
  ['text', { kind: 'enum', name: 'mood', values: ['ok'] }, true],
  ['text', base('bytea'), false],
  ['text', { kind: 'array', items: base('text') }, false],
  ['integer', base('smallint'), true],
  ['integer', base('text'), false],
  ['uuid', base('text'), true],
  ['instant', base('text'), false],
  ['id', base('integer'), true],
  ['id', base('boolean'), false],
  ['id', base('citext'), false],
  ['json', { kind: 'array', items: base('text') }, true],
  ['json', { kind: 'array', items: domain(base('bytea')) }, false],
  ['json', base('text'), false],
])('a field of the type %s in %j: %s', (type, databaseType, fits) => {
  expect(postgresCodecFor(type, databaseType) !== undefined).toBe(fits)
})

test.each<[string, string, boolean]>([
  ['integer', '12', true],
  ['integer', '-3', true],
  ['integer', '012', false],
  ['integer', '9223372036854775808', false],
  ['integer', 'x', false],
  ['uuid', '5b4d6f6e-0000-4000-8000-000000000000', true],
  ['uuid', '5B4D6F6E-0000-4000-8000-000000000000', false],
  ['timestamp with time zone', '2024-05-01T12:00:00.5Z', true],
  ['timestamp with time zone', '2024-05-01T12:00:00.50Z', false],
  ['timestamp with time zone', '2024-05-01T12:00:00.1234567Z', false],
  ['timestamp with time zone', '2024-05-01T12:00:00+02:00', false],
  ['timestamp without time zone', '2024-05-01T12:00:00Z', true],
  ['text', 'x', true],
])('a column of %s may have the id %s: %s', (column, id, isPossible) => {
  expect(postgresCodecFor('id', base(column))!.canonical(id)).toBe(isPossible ? id : undefined)
})
