import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningBookstore, startBookstore } from '../support/bookstore-process.ts'

/**
 * SQLMAP=1 runs sqlmap, which has to be installed, against the bookstore: some minutes. SQLMAP=5
 * runs all of its tests.
 */
const level = Math.min(5, Math.max(3, Number(process.env.SQLMAP)))
const isWanted = process.env.SQLMAP !== undefined

const folder = mkdtempSync(join(tmpdir(), 'sqlmap-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Target {
  readonly method?: 'GET' | 'PATCH' | 'POST'
  /** An asterisk marks where sqlmap injects. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const json = { 'content-type': 'application/json' }
const document = { accept: 'application/vnd.api+json', 'content-type': 'application/vnd.api+json' }

/** The parameters of lists, under either policy. */
const lists = [
  'filter[title]=Dune*',
  'filter[title][contains]=e*',
  'filter[title][like]=%25e*',
  'filter[title*]=x',
  'filter[title][eq*]=x',
  'filter[price][gte]=10*',
  'filter[inStock]=true*',
  'filter[publishedAt][lt]=1900-01-01*',
  'filter[author.name][startsWith]=M*',
  'filter[author.name*]=x',
  'filter[dimensions.width*][gt]=1',
  'filter[tags][any]=sea,award*',
  'filter[genres][any]=horror*',
  'filter[id][in]=a,b*',
  'filter[author]=a*',
  "filter=eq(title,'Dune*')",
  "filter=or(gt(price,10*),eq(title,'x'))",
  "filter=and(eq(title*,'x'),not(eq(inStock,false)))",
  "filter=contains*(title,'x')",
  'sort=price*',
  'sort=-author.name*,title',
  'fields[books]=title*',
  'fields[books*]=title',
  'include=author*',
  'include=author.books&sortIncluded[author.books]=-price*',
  'include=author.books&filterIncluded[author.books][title][contains]=e*',
  'page[size]=2*',
  'page[number]=1*&page[size]=2',
  'page[offset]=1*&page[limit]=2',
  'page[after]=abc*&page[size]=2',
  'withCount=true*',
]

/** Requests to an item, with its id instead of `:id`. */
const items: readonly Target[] = [
  { path: '/api/books/:id*' },
  { path: '/api/books/:id?include=author*' },
  { path: '/api/books/:id', headers: { 'if-none-match': '"abc*"' } },
  {
    path: '/api/books/:id',
    method: 'PATCH',
    headers: { ...json, 'if-match': '"abc*"' },
    body: '{"book":{"price":5}}',
  },
  {
    path: '/api/books/:id',
    method: 'PATCH',
    headers: json,
    body: '{"book":{"title":"x*","tags":["y*"]}}',
  },
  {
    path: '/api/books/:id',
    method: 'PATCH',
    headers: json,
    body: '{"book":{"author":"x*","genres":["y*"]}}',
  },
  {
    path: '/api/books',
    method: 'POST',
    headers: json,
    body: '{"book":{"id":"z*","title":"x","price":1,"isbn":"9*","author":"a*"}}',
  },
  { path: '/json-api/books/:id*' },
  { path: '/json-api/books/:id/relationships/genres*' },
  { path: '/json-api/books/:id*/author' },
  {
    path: '/json-api/books/:id/relationships/genres',
    method: 'POST',
    headers: document,
    body: '{"data":[{"type":"genres*","id":"horror*"}]}',
  },
  {
    path: '/json-api/books/:id',
    method: 'PATCH',
    headers: document,
    body: '{"data":{"type":"books","id":":id","attributes":{"title":"x*"},"relationships":{"author":{"data":{"type":"authors","id":"a*"}}}}}',
  },
]

const targets: readonly Target[] = [
  ...lists.map((query) => ({ path: `/api/books?${query}` })),
  ...lists.map((query) => ({ path: `/json-api/books?${query}` })),
  ...items,
]

describe.runIf(isWanted)('3.3: sqlmap', () => {
  let bookstore: RunningBookstore
  let book: string

  beforeAll(async () => {
    bookstore = await startBookstore({
      DATABASE_URL: `sqlite:${join(folder, 'bookstore.db')}`,
      BLOBS_DIR: join(folder, 'blobs'),
    })
    const list = await fetch(`${bookstore.address}/api/books?page[size]=1`)
    book = ((await list.json()) as { books: { id: string }[] }).books[0]!.id
  }, 60_000)

  afterAll(async () => {
    await bookstore?.stop()
  })

  it('finds the injection in a vulnerable service', async () => {
    const { server, address } = await faultyService()
    const report = await sqlmap(`${address}/books?title=e*`, {})
    server.close()
    expect(report.verdict).toBe('injectable')
  }, 600_000)

  it.each(targets.map((target) => [nameOf(target), target] as const))(
    'finds no injection at %s',
    async (_, { method = 'GET', path, headers = {}, body }) => {
      const url = bookstore.address + encoded(path.replace(':id', book))
      const report = await sqlmap(url, { method, headers, body: body?.replace(':id', book) })
      expect(report.verdict, report.output).toBe('not injectable')
      expect(report.requests, report.output).toBeGreaterThan(50)
      expect(
        report.statuses.filter((status) => status >= 500),
        report.output,
      ).toEqual([])
    },
    600_000,
  )
})

function nameOf({ method = 'GET', path, headers = {}, body = '' }: Target): string {
  const marked = Object.entries(headers).find(([, value]) => value.endsWith('*"'))
  return [method, path, marked?.join(': '), body].filter(Boolean).join(' ')
}

/** Encodes brackets and blanks as clients do; asterisks and encoded characters stay. */
function encoded(path: string): string {
  return path.replaceAll('[', '%5B').replaceAll(']', '%5D').replaceAll("'", '%27')
}

interface Finding {
  readonly verdict: 'injectable' | 'not injectable' | 'unclear'
  readonly requests: number
  /** The statuses of error responses. */
  readonly statuses: readonly number[]
  readonly output: string
}

interface Asking {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

let runs = 0

async function sqlmap(
  url: string,
  { method = 'GET', headers = {}, body }: Asking,
): Promise<Finding> {
  const traffic = join(folder, `traffic-${++runs}`)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const output = await run('sqlmap', [
    ...[
      '-u',
      url,
      '--batch',
      '--dbms=SQLite',
      `--level=${level}`,
      '--risk=3',
      '--flush-session',
      '--disable-coloring',
    ],
    ...['--ignore-code=*', '--timeout=30', '--time-sec=2', `--output-dir=${folder}`, '-t', traffic],
    ...(method === 'GET' ? [] : [`--method=${method}`]),
    ...(lines.length > 0 ? [`--headers=${lines.join('\\n')}`] : []),
    ...(body === undefined ? [] : [`--data=${body}`]),
  ])
  const requests = readFileSync(traffic, 'latin1').match(/^HTTP request \[#/gm)?.length ?? 0
  const statuses = [...output.matchAll(/^(\d{3}) \(.*?\) - \d+ times/gm)].map(([, status]) =>
    Number(status),
  )
  const verdict = output.includes('identified the following injection point')
    ? 'injectable'
    : output.includes('do not appear to be injectable')
      ? 'not injectable'
      : 'unclear'
  return { verdict, requests, statuses, output }
}

function run(command: string, parameters: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, parameters, { maxBuffer: 1e8 }, (error, stdout, stderr) => {
      if (error && error.code === 'ENOENT') reject(new Error('sqlmap is not installed.'))
      else resolve(stdout + stderr)
    })
  })
}

/** A service that is vulnerable to SQL injection. */
async function faultyService(): Promise<{ server: Server; address: string }> {
  const database = new DatabaseSync(':memory:')
  database.exec("create table books (title text); insert into books values ('Emma'), ('Dracula')")
  const server = createServer((req, res) => {
    const title = new URL(req.url!, 'http://localhost').searchParams.get('title')
    try {
      res.end(
        JSON.stringify(
          database.prepare(`select title from books where title like '%${title}%'`).all(),
        ),
      )
    } catch {
      res.writeHead(500).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
