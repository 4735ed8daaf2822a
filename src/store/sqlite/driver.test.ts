import { expect, onTestFinished, test } from 'vitest'
import { temporaryFile } from '../../../test/support/sqlite-bookshelf.ts'
import { loadDriver, refusesBegin } from './driver.ts'

test('a driver that cannot tell whether a transaction is open begins one to find out', async () => {
  const database = (await loadDriver()).open(temporaryFile(), { readOnly: false })
  onTestFinished(() => database.close())
  const execute = (sql: string) => database.exec(sql)
  database.exec('create table t (n)')
  database.exec(
    `create trigger "full" before insert on t begin select raise(rollback, 'full'); end`,
  )
  const states: boolean[] = []
  const note = () => {
    states.push(refusesBegin(execute))
    expect(database.isInTransaction).toBe(states.at(-1))
  }
  note()
  database.exec('begin immediate')
  note()
  database.exec('savepoint work')
  note()
  expect(() => database.exec('insert into t values (1)')).toThrow('full')
  note()
  expect(states).toEqual([false, true, true, false])
})
