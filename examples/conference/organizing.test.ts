import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Router } from 'resourcery'
import { memory, memoryBlobs } from 'resourcery/memory'
import { type TestClient, testClient } from 'resourcery/testing'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { conference } from './conference.ts'
import { localIssuer } from './issuer.ts'
import { Room, Session, Talk } from './models.ts'
import { attendees, seed } from './seed.ts'
import type { Caller } from './sign-in.ts'

const issuer = localIssuer()

let router: Router<Caller>
let olga: TestClient
let ada: TestClient
let outbox: string

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'conference-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  outbox = join(folder, 'outbox.txt')
  const routers = conference({
    store: memory(),
    blobs: memoryBlobs(),
    outbox,
    issuerKey: issuer.publicKey,
    cursorSecret: 'a secret of at least 32 bytes for tests',
  })
  router = routers[0]!
  await seed(router)
  const as = async (id: string) => {
    const person = attendees.find((each) => each.id === id)!
    return testClient(router).with({ authorization: `Bearer ${await issuer.sign(person)}` })
  }
  olga = await as('olga')
  ada = await as('ada')
})

const csv = { accept: 'text/csv' }
const lines = { accept: 'application/jsonl' }
const table = (...rows: string[]) => new Blob([rows.join('\r\n')], { type: 'text/csv' })

it('imports talks from a table, and says of each row what became of it', async () => {
  const talks = table('id,title,speaker', 'dracula,Dracula,bob', 'emma,,bob', 'ulysses,Ulysses,ada')
  const { status, body } = await olga.post('/api/talks', talks, { headers: lines })
  expect(status).toBe(200)
  const results = String(body)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(results).toMatchObject([
    { line: 2, status: 201, id: 'dracula' },
    { line: 3, status: 422, errors: [{ detail: "'title' is required." }] },
    { line: 4, status: 201, id: 'ulysses' },
  ])
  expect((await olga.get('/api/talks/dracula')).body.talk.speaker).toBe('bob')
})

it('lets speakers import talks of their own only', async () => {
  const talks = table('id,title,speaker', 'dracula,Dracula,bob', 'ulysses,Ulysses,ada')
  const { body } = await ada.post('/api/talks', talks, { headers: lines })
  const statuses = String(body).match(/"status":\d+/g)
  expect(statuses?.[0]).toBe('"status":403')
  expect(statuses?.at(-1)).toBe('"status":201')
})

it('exports the talks that the caller sees as a table', async () => {
  const all = await olga.get('/api/talks?fields[talks]=title,speaker', { headers: csv })
  expect(all.body).toBe('id,title,speaker\r\nlooms,What looms can weave,ada')
  const anyone = testClient(router)
  const none = await anyone.get('/api/talks?fields[talks]=title,speaker', { headers: csv })
  expect(none.body).toBe('id,title,speaker\r\n')
})

it('finds talks by words of their title and of the name of their speaker', async () => {
  const titles = async (words: string) => {
    const { body } = await olga.get(
      `/api/talks?search=${encodeURIComponent(words)}&sort=-relevance`,
    )
    return body.talks.map(({ title }: { title: string }) => title)
  }
  await router.load(Talk, [{ id: 'ada', title: 'Letters to Ada', speaker: 'bob' }])
  expect(await titles('weav')).toEqual(['What looms can weave'])
  expect(await titles('ada')).toEqual(['Letters to Ada', 'What looms can weave'])
  expect(await titles('ada -letters')).toEqual(['What looms can weave'])
})

it('sorts talks by their ratings', async () => {
  await router.load(Talk, [{ id: 'engines', title: 'Engines', speaker: 'ada' }])
  await ada.post('/api/ratings', { rating: { id: 'a', stars: 5, talk: 'engines' } })
  await olga.post('/api/ratings', { rating: { id: 'o', stars: 2, talk: 'engines' } })
  const ratings = async () => {
    const { body } = await olga.get('/api/talks?sort=-rating&fields[talks]=rating')
    return body.talks.map(({ id, rating }: { id: string; rating: number }) => `${id} ${rating}`)
  }
  expect(await ratings()).toEqual(['looms 4', 'engines 3.5'])
  await olga.delete('/api/ratings/o')
  expect(await ratings()).toEqual(['engines 5', 'looms 4'])
})

it('counts the sessions of each day and room', async () => {
  await router.load(Room, [{ id: 'red', name: 'Red' }])
  const session = (id: string, day: number, room: string) => ({
    id,
    talk: 'looms',
    room,
    start: `2030-06-0${day}T14:00:00Z`,
    end: `2030-06-0${day}T15:00:00Z`,
  })
  await router.load(Session, [
    session('a', 1, 'hall'),
    session('b', 1, 'red'),
    session('c', 2, 'red'),
  ])
  const { body } = await ada.get(
    '/api/sessions/groups?groupBy=day(start),room&withAggregates=count',
  )
  expect(body.groups).toEqual([
    { by: { 'day(start)': '2030-06-01', room: 'hall' }, aggregates: { count: 2 } },
    { by: { 'day(start)': '2030-06-01', room: 'red' }, aggregates: { count: 1 } },
    { by: { 'day(start)': '2030-06-02', room: 'red' }, aggregates: { count: 1 } },
  ])
})

it('reminds speakers of their drafts', async () => {
  onTestFinished(() => router.close())
  await router.open()
  await router.runJob('reminders')
  expect(await readFile(outbox, 'utf8')).toBe("To ada: 'What looms can weave' is still a draft.\n")
})
