import { expect, test } from 'vitest'
import { statementLabels, statementSummary } from './statement-labels.ts'

test.each([
  [['select * from "books" where id = ?'], 'SELECT books'],
  [['insert into book (id) values (?)'], 'INSERT book'],
  [['update "shop"."books" set title = ? from x'], 'UPDATE shop.books'],
  [['with upload as (select 1) insert into "chunks" select 2'], 'WITH chunks'],
  [['select id from temp."list 17"'], 'SELECT temp.list'],
  [['begin immediate'], 'BEGIN'],
  [['begin', 'delete from books'], 'BATCH BEGIN'],
  [[''], ''],
])('%j is named %s', (statements, summary) => {
  expect(statementSummary(statements)).toBe(summary)
})

test('labels hold no table, and the kind of an error', () => {
  const run = { system: 'sqlite', startMs: 0, durationMs: 1 } as const
  expect(
    statementLabels({ ...run, statements: ['select 1 from a'], failure: new TypeError('x') }),
  ).toEqual({
    'db.system.name': 'sqlite',
    'db.operation.name': 'SELECT',
    'error.type': 'TypeError',
  })
  expect(statementLabels({ ...run, statements: ['begin', 'commit'], failure: undefined })).toEqual({
    'db.system.name': 'sqlite',
    'db.operation.name': 'BATCH',
  })
})
