import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRouter, model, type Store } from 'resourcery'
import { memory } from 'resourcery/memory'
import { type ServeOptions, type Service, serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { twoStores } from '../../../test/support/two-stores.ts'
import { startText } from './start-entry.ts'

const address = 'http://127.0.0.1:3000'

const routerOver = (store: Store, basePath = '/api') => {
  const router = createRouter({ policy: rest(), store, basePath })
  router.prepare(model('book', {}))
  return router
}

const storesOf = async (services: Service | readonly Service[], options: ServeOptions = {}) => {
  const server = await serve(services, options)
  await server.close()
  return server.stores
}

function temporaryFile(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'resourcery-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, name)
}

test('a start line names the store, with what its server lacks', () => {
  const lineOf = (...stores: Parameters<typeof startText>[0]['stores']) =>
    startText({ address, stores }).slice(`Listens at ${address}`.length)
  expect(lineOf()).toBe('')
  expect(lineOf({ engine: 'PostgreSQL 15.18', lacks: [] })).toBe(
    ' with PostgreSQL 15.18, all features',
  )
  expect(
    lineOf(
      { name: 'north', engine: 'CockroachDB', lacks: ['savepoints', 'advisory locks'] },
      { name: 'south', engine: 'SQLite 3.53.1', format: 'tables' },
    ),
  ).toBe(
    ' with north: CockroachDB, without savepoints, advisory locks; south: SQLite 3.53.1, tables',
  )
})

test('a server knows its stores, each once', async () => {
  const engine = expect.stringMatching(/^SQLite \d+\.\d+\.\d+$/)
  const documents = sqlite(temporaryFile('documents.db'))
  const tables = sqlite(temporaryFile('tables.db'), { layout: 'tables' })
  expect(
    await storesOf([
      routerOver(documents),
      routerOver(documents, '/again'),
      routerOver(tables, '/tables'),
      routerOver(memory(), '/memory'),
    ]),
  ).toEqual([{ engine, format: 'documents' }, { engine, format: 'tables' }, { engine: 'memory' }])
})

test('several stores of a router have their names', async () => {
  const { router } = twoStores({ north: memory(), south: memory() })
  expect(await storesOf(router)).toEqual([
    { name: 'north', engine: 'memory' },
    { name: 'south', engine: 'memory' },
  ])
})

test('a store that cannot say what it is does not end the start', async () => {
  const inner = memory()
  const describe = async () => {
    throw new Error('no version')
  }
  const store: Store = { ...inner, admin: { ...inner.admin, describe } }
  const onError = vi.fn()
  expect(await storesOf(routerOver(store), { onError })).toEqual([])
  expect(onError.mock.calls).toEqual([[new Error('no version')]])
})

test('a log says where the service listens, with its stores', async () => {
  const router = routerOver(memory())
  const logger = { info: vi.fn(), error: vi.fn() }
  const server = await serve(router, { log: logger })
  await server.close()
  const start = { address: server.address, stores: [{ engine: 'memory' }] }
  expect(logger.info.mock.calls).toEqual([[start, `Listens at ${server.address}`]])

  const print = vi.spyOn(console, 'log').mockImplementation(() => {})
  onTestFinished(() => print.mockRestore())
  const other = await serve(routerOver(memory()), { log: true })
  await other.close()
  expect(print.mock.calls.map(([line]) => JSON.parse(line as string))).toEqual([
    {
      time: expect.stringMatching(/^\d{4}-/),
      message: `Listens at ${other.address}`,
      address: other.address,
      stores: [{ engine: 'memory' }],
    },
  ])
})

test('the function of a log gets requests alone', async () => {
  const log = vi.fn()
  await storesOf(routerOver(memory()), { log })
  expect(log).not.toHaveBeenCalled()
})
