import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { png } from './resources.ts'

/** Another client of the bookstore, which changes data all the time. */
export interface Churn {
  /**
   * Ends it, and returns how often each kind of work got each status.
   * @throws the first error of its work
   */
  stop(): Promise<Readonly<Record<string, number>>>
}

/** Books of the bookstore's own data. The check may delete them; then the response is 404. */
const books = [
  'frankenstein',
  'dracula',
  'emma',
  'middlemarch',
  'the-last-man',
  'pride-and-prejudice',
  'candide',
]

const json = { 'content-type': 'application/json' }
const jsonApi = { 'content-type': 'application/vnd.api+json', accept: 'application/vnd.api+json' }

/**
 * Replaces covers while it reads them and their variants, deletes genres that books relate to, and
 * aborts scans and images. The genres are its own, with ids that come last, so that a check does
 * not name them.
 */
export function startChurn(address: string): Churn {
  const outcomes = new Map<string, number>()
  let isOver = false

  const sendRequest = async (work: string, path: string, init: RequestInit = {}): Promise<void> => {
    const response = await fetch(address + path, init)
    await response.arrayBuffer()
    const outcome = `${work} ${response.status}`
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  }

  const works: readonly ((round: number) => Promise<void>)[] = [
    (round) => replaceCover(sendRequest, round),
    (round) => readCover(sendRequest, round),
    (round) => readCover(sendRequest, round + 1),
    (round) => readVariants(sendRequest, round),
    (round) => deleteGenre(sendRequest, round),
    (round) => abandon(address, round),
  ]
  const loops = works.map(async (work) => {
    for (let round = 0; !isOver; round++) {
      await work(round)
      await wait(5)
    }
  })
  return {
    stop: async () => {
      isOver = true
      await Promise.all(loops)
      return Object.fromEntries([...outcomes].sort())
    },
  }
}

type SendRequest = (work: string, path: string, init?: RequestInit) => Promise<void>

async function replaceCover(ask: SendRequest, round: number): Promise<void> {
  const path = `/api/books/${books[round % 2]}/cover`
  await ask('set cover', path, {
    method: 'POST',
    headers: { 'content-type': 'image/png' },
    body: png(round, 20_000),
  })
  if (round % 10 === 9) await ask('delete cover', path, { method: 'DELETE' })
}

async function readCover(ask: SendRequest, round: number): Promise<void> {
  const path = `/api/books/${books[round % 2]}/cover`
  await ask('get cover', path)
  await ask('get part of cover', path, { headers: { range: 'bytes=10-500' } })
  await ask('get variant', `${path}/${['png', 'jpeg', 'webp'][round % 3]}/${[64, 128][round % 2]}`)
}

async function readVariants(ask: SendRequest, round: number): Promise<void> {
  const sizes = [64, 128, 256]
  await Promise.all(
    sizes.map((size) => ask('get variant', `/api/books/${books[round % 2]}/cover/webp/${size}`)),
  )
}

async function deleteGenre(ask: SendRequest, round: number): Promise<void> {
  const id = `zz-churn-${round}`
  const linkage = JSON.stringify({ data: [{ type: 'genres', id }] })
  await ask('create genre', '/api/genres', {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ genre: { id, name: 'Of the churn' } }),
  })
  for (const book of books) {
    const path = `/json-api/books/${book}/relationships/genres`
    await ask('relate genre', path, { method: 'POST', headers: jsonApi, body: linkage })
  }
  await ask('delete genre', `/api/genres/${id}`, { method: 'DELETE' })
}

const costly = [
  '/api/books?sort=-pages,stock&withCount=true&include=author.books,genres',
  `/api/reviews?filter%5Btext%5D%5Blike%5D=${encodeURIComponent(`${'%a'.repeat(8)}q`)}`,
  '/json-api/reviews?sort=text&include=book.author',
  '/api/books?filter%5Bauthor.name%5D%5Bcontains%5D=e&sort=author.name',
  '/api/books/frankenstein/cover/webp/256',
]

/** Sends an expensive request, and disconnects before or during the response. */
function abandon(address: string, round: number): Promise<void> {
  const { hostname, port } = new URL(address)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`GET ${costly[round % costly.length]} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
      setTimeout(() => socket.destroy(), round % 20)
    })
    socket.on('error', reject)
    socket.once('close', () => resolve())
  })
}
