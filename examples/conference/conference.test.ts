import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRouter, model, type Router, type Store, toOne } from 'resourcery'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { testClient } from 'resourcery/testing'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { conference } from './conference.ts'
import { localIssuer } from './issuer.ts'
import { ApiKey, Person, Room, Talk } from './models.ts'
import { attendees } from './seed.ts'
import type { Caller } from './sign-in.ts'

const issuer = localIssuer()
const tokenOf = new Map(
  await Promise.all(
    attendees.map(async (person) => [person.id, await issuer.sign(person)] as const),
  ),
)

let router: Router<Caller>
let jsonApi: Router<Caller>
let folder: string
let outbox: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'conference-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  outbox = join(folder, 'outbox.txt')
  const routers = await conferenceOf(memory())
  router = routers[0]!
  jsonApi = routers[1]!
})

async function conferenceOf(store: Store) {
  const routers = conference({
    store,
    blobs: memoryBlobs(),
    outbox,
    issuerKey: issuer.publicKey,
    cursorSecret: 'a secret of at least 32 bytes for tests',
  })
  await routers[0]!.load(Person, attendees)
  await routers[0]!.load(Room, [
    { id: 'red', name: 'Red' },
    { id: 'blue', name: 'Blue' },
  ])
  return routers
}

const strangerTo = (to = router) => testClient(to)
const as = (person: string, to = router) =>
  strangerTo(to).with({ authorization: `Bearer ${tokenOf.get(person)}` })
const mails = () => readFile(outbox, 'utf8').catch(() => '')

const hours = (start: number, end: number) => ({
  start: `2027-05-01T${start}:00:00Z`,
  end: `2027-05-01T${end}:00:00Z`,
})

async function submitTalk(id = 'engines') {
  await as('ada').post('/api/talks', { talk: { id, title: `About ${id}` } })
  const { status } = await as('ada').post(`/api/talks/${id}/submit`)
  expect(status).toBe(200)
}

async function scheduleTalk(id = 'engines', room = 'red') {
  await submitTalk(id)
  const scheduled = await as('olga').post(`/api/talks/${id}/schedule`, { room, ...hours(10, 11) })
  expect(scheduled.status).toBe(200)
}

it('leads browsers to its pages, and answers at the address that it prints', async () => {
  const browser = strangerTo().with({ accept: 'text/html' })
  expect((await browser.get('/api')).status).toBe(200)
  expect((await strangerTo().get('/api/docs')).status).toBe(200)
  expect(router.hasStartPage).toBe(true)
})

describe('Requests of callers', () => {
  const talk = { talk: { title: 'X' } }
  const score = { talk: { score: 5 } }
  const rating = { rating: { stars: 4, talk: 'seen' } }
  const session = { session: { talk: 'seen', room: 'red', ...hours(10, 11) } }
  const key = { apiKey: { name: 'K' } }
  const callers = ['nobody', 'bob', 'ada', 'olga']

  /** The talks 'draft' and 'seen' are Ada's, and so is the key 'k'. */
  const table: [request: string, body: object | undefined, ...statuses: number[]][] = [
    //                                  nobody bob ada olga
    ['GET /talks/seen', undefined, 200, 200, 200, 200],
    ['GET /talks/draft', undefined, 404, 404, 200, 200],
    ['PATCH /talks/seen', talk, 401, 403, 200, 200],
    ['PATCH /talks/draft', talk, 401, 404, 200, 200],
    ['PATCH /talks/seen', score, 401, 403, 422, 200],
    ['GET /talks?sort=score', undefined, 400, 400, 400, 200],
    ['DELETE /talks/seen', undefined, 401, 403, 204, 204],
    ['POST /talks', talk, 401, 201, 201, 201],
    ['POST /talks/draft/submit', undefined, 401, 404, 200, 200],
    ['POST /talks/seen/reject', undefined, 401, 403, 403, 200],
    ['PATCH /people/ada', { person: { name: 'X' } }, 401, 403, 200, 200],
    ['PATCH /people/ada', { person: { email: 'x@y.example' } }, 401, 403, 200, 403],
    ['POST /people', { person: { name: 'X' } }, 401, 403, 403, 201],
    ['POST /rooms', { room: { name: 'X' } }, 401, 403, 403, 201],
    ['POST /sessions', session, 401, 403, 403, 201],
    ['POST /ratings', rating, 401, 201, 201, 201],
    ['POST /apiKeys', key, 401, 201, 201, 201],
    ['GET /apiKeys/k', undefined, 401, 404, 200, 404],
    ['POST /apiKeys/k/issue', undefined, 401, 404, 200, 404],
    ['DELETE /apiKeys/k', undefined, 401, 404, 204, 404],
  ]

  it.each(table)('%s', async (request, body, ...expected) => {
    const [method = '', path] = request.split(' ')
    const statuses: number[] = []
    for (const caller of callers) {
      const client = await clientOf(caller)
      statuses.push((await client.send(method, `/api${path}`, body)).status)
    }
    expect(statuses).toEqual(expected)
  })

  it.each([
    ['/talks/seen', 'score', [undefined, undefined, undefined, 3]],
    ['/people/ada', 'email', [undefined, undefined, 'ada@example.org', undefined]],
    ['/apiKeys/k', 'scopes', [undefined, undefined, undefined, undefined]],
  ])('show of %s the field %s to some', async (path, field, expected) => {
    const seen: unknown[] = []
    for (const caller of callers) {
      const { body } = await (await clientOf(caller)).get(`/api${path}`)
      const item = body.errors ? {} : (Object.values(body)[0] as Record<string, unknown>)
      seen.push(item[field])
    }
    expect(seen).toEqual(expected)
  })

  /** A client of a conference of its own. */
  async function clientOf(caller: string) {
    const [own] = await conferenceOf(memory())
    await own!.load(Talk, [
      { id: 'draft', title: 'Draft', speaker: 'ada' },
      { id: 'seen', title: 'Seen', speaker: 'ada', status: 'accepted', score: 3 },
    ])
    await own!.load(ApiKey, [{ id: 'k', name: 'Ada', owner: 'ada' }])
    return caller === 'nobody' ? strangerTo(own) : as(caller, own)
  }
})

it('shows an API key once, which acts as its owner until it is deleted', async () => {
  await as('ada').post('/api/talks', { talk: { id: 'engines', title: 'Engines' } })
  await as('ada').post('/api/apiKeys', { apiKey: { id: 'k', name: 'Script' } })
  const { key } = (await as('ada').post('/api/apiKeys/k/issue')).body
  const script = strangerTo().with({ authorization: `Bearer ${key}` })
  expect((await script.get('/api/talks/engines')).status).toBe(200)
  expect((await as('ada').get('/api/apiKeys/k')).body.apiKey).not.toHaveProperty('digest')
  await as('ada').delete('/api/apiKeys/k')
  expect((await script.get('/api/talks/engines')).status).toBe(401)
})

it('refuses tokens of other issuers, and of roles that do not exist', async () => {
  const other = await localIssuer().sign(attendees[0]!)
  const king = await issuer.sign({ id: 'ada', role: 'king' as 'attendee' })
  for (const token of [other, king, 'conf_000000000000_x']) {
    const { status } = await strangerTo().get('/api/talks', {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(status).toBe(401)
  }
})

it('has a document for each caller', async () => {
  const documentFor = async (client: ReturnType<typeof as>) =>
    JSON.stringify((await client.get('/api/openapi.json')).body)
  expect(await documentFor(as('olga'))).toContain('"score"')
  expect(await documentFor(as('ada'))).not.toContain('"score"')
})

it('makes the caller the speaker, and exchanges no speaker', async () => {
  const created = await as('ada').post('/api/talks', { talk: { title: 'Engines' } })
  expect(created.body.talk.speaker).toBe('ada')
  const path = `/api/talks/${created.body.talk.id}`
  const given = await as('ada').patch(path, { talk: { speaker: 'bob' } })
  expect(given.status).toBe(403)
  expect(given.body.errors[0].source).toEqual({ pointer: '/talk/speaker' })
  const claimed = await as('ada').post('/api/talks', { talk: { title: 'Mine', speaker: 'bob' } })
  expect(claimed.status).toBe(403)
  expect((await as('ada').get(path)).body.talk.speaker).toBe('ada')
})

it('exchanges no speaker under JSON:API, from neither side', async () => {
  await submitTalk()
  const bob = { data: { type: 'people', id: 'bob' } }
  const client = as('ada', jsonApi)
  const one = await client.patch('/json-api/talks/engines/relationships/speaker', bob)
  expect(one.status).toBe(403)
  const many = await as('bob', jsonApi).post('/json-api/people/bob/relationships/talks', {
    data: [{ type: 'talks', id: 'engines' }],
  })
  expect(many.status).toBeGreaterThanOrEqual(403)
  expect((await as('ada').get('/api/talks/engines')).body.talk.speaker).toBe('ada')
})

it('takes one rating of each attendee for a talk', async () => {
  await scheduleTalk()
  const rating = { rating: { stars: 5, talk: 'engines' } }
  expect((await as('bob').post('/api/ratings', rating)).status).toBe(201)
  const again = await as('bob').post('/api/ratings', rating)
  expect(again.status).toBe(409)
  expect(again.body.errors[0].source).toEqual({ pointer: '/rating/talk' })
  expect((await as('ada').post('/api/ratings', rating)).status).toBe(201)
})

it('refuses a session that ends before it starts', async () => {
  await scheduleTalk()
  const session = { talk: 'engines', room: 'blue', ...hours(12, 11) }
  const { status, body } = await as('olga').post('/api/sessions', { session })
  expect(status).toBe(422)
  expect(body.errors).toMatchObject([
    { detail: "'end' must be after start.", source: { pointer: '/session/end' } },
  ])
})

it('books no room twice, whatever changes a session', async () => {
  await scheduleTalk('engines')
  await scheduleTalk('looms', 'blue')
  const { body } = await strangerTo().get('/api/sessions?filter[talk]=looms')
  const moved = await as('olga').patch(`/api/sessions/${body.sessions[0].id}`, {
    session: { room: 'red' },
  })
  expect(moved.status).toBe(422)
  expect(moved.body.errors).toMatchObject([
    { detail: "'room' is taken at this time.", source: { pointer: '/session/room' } },
  ])
  const session = { talk: 'looms', room: 'red', ...hours(11, 12) }
  expect((await as('olga').post('/api/sessions', { session })).status).toBe(201)
})

it('accepts a talk and gives it its session together, or does neither', async () => {
  await scheduleTalk('engines')
  await submitTalk('looms')
  const taken = { room: 'red', ...hours(10, 12) }
  const refused = await as('olga').post('/api/talks/looms/schedule', taken)
  expect(refused.status).toBe(422)
  expect((await as('olga').get('/api/talks/looms')).body.talk.status).toBe('submitted')
  expect((await strangerTo().get('/api/sessions')).body.sessions).toHaveLength(1)
})

it('lets nobody but the speaker and organizers change a talk that all can see', async () => {
  await scheduleTalk()
  const change = { talk: { title: 'Mine' } }
  const { status, body } = await as('bob').patch('/api/talks/engines', change)
  expect([status, body.detail]).toEqual([403, 'You may see this talk, but not change it.'])
  expect((await strangerTo().patch('/api/talks/engines', change)).status).toBe(401)
  expect((await as('ada').patch('/api/talks/engines', change)).status).toBe(200)
})

it('lets organizers alone schedule', async () => {
  await submitTalk()
  const path = '/api/talks/engines/schedule'
  const place = { room: 'red', ...hours(10, 11) }
  expect((await as('ada').post(path, place)).status).toBe(403)
  expect((await as('ada').post('/api/talks/engines/reject')).status).toBe(403)
  expect((await strangerTo().post(path, place)).status).toBe(401)
})

it('writes one mail for each talk that is accepted, once it is durable', async () => {
  await router.open()
  onTestFinished(() => router.close())
  await submitTalk()
  const path = '/api/talks/engines/schedule'
  const refused = { room: 'red', ...hours(12, 11) }
  expect((await as('olga').post(path, refused)).status).toBe(422)
  expect(await mails()).toBe('')
  const places = [1, 2, 3, 4].map((day) => ({
    room: 'red',
    start: `2027-05-0${day}T10:00:00Z`,
    end: `2027-05-0${day}T11:00:00Z`,
  }))
  await Promise.all(places.map((place) => as('olga').post(path, place)))
  await vi.waitFor(async () => expect(await mails()).not.toBe(''))
  await vi.waitFor(async () => expect((await router.consumers())[0]?.pendingCount).toBe(0))
  expect(await mails()).toBe("To ada: 'About engines' is accepted.\n")
})

it('writes the mail of a talk that was rejected through the other router before a restart', async () => {
  const store = sqlite(join(folder, 'data.db'))
  const [before, beforeJsonApi] = (await conferenceOf(store)) as [Router<Caller>, Router<Caller>]
  await before.open()
  await before.close()
  await beforeJsonApi.close()
  const silent = await conferenceOf(sqlite(join(folder, 'data.db')))
  await silent[0]!.items(Talk).create({ id: 'x', title: 'X', status: 'submitted', speaker: 'ada' })
  await as('olga', silent[1]).post('/json-api/talks/x/reject')
  for (const each of silent) await each.close()
  expect(await mails()).toBe('')
  const [after] = await conferenceOf(sqlite(join(folder, 'data.db')))
  onTestFinished(() => after!.close())
  await after!.open()
  await vi.waitFor(async () => expect(await mails()).toBe("To ada: 'X' is rejected.\n"), 10_000)
})

it('sets updatedAt with each change', async () => {
  await submitTalk()
  const before = (await as('ada').get('/api/talks/engines')).body.talk
  expect(Date.parse(before.createdAt)).toBeLessThanOrEqual(Date.parse(before.updatedAt))
  await new Promise((resolve) => setTimeout(resolve, 5))
  await as('ada').patch('/api/talks/engines', { talk: { title: 'Looms' } })
  const after = (await as('ada').get('/api/talks/engines')).body.talk
  expect(Date.parse(after.updatedAt)).toBeGreaterThan(Date.parse(before.updatedAt))
  expect(after.createdAt).toBe(before.createdAt)
})

it('takes slides as PDF, and a portrait as an image', async () => {
  await submitTalk()
  const pdf = new Blob(['%PDF-1.7\n%%EOF\n'], { type: 'application/pdf' })
  expect((await as('ada').post('/api/talks/engines/slides', pdf)).status).toBeLessThan(300)
  const text = new Blob(['no image'], { type: 'image/png' })
  expect((await as('ada').post('/api/people/ada/portrait', text)).status).toBe(415)
})

it('keeps the abstracts of talks, which are summaries now', async () => {
  const store = sqlite(join(folder, 'conference.db'))
  const before = createRouter({ policy: rest(), store })
  const OldPerson = model('person', { name: z.string() }, { plural: 'people' })
  before.prepare(OldPerson)
  const OldTalk = model('talk', {
    title: z.string(),
    abstract: z.string(),
    speaker: toOne('person'),
  })
  before.prepare(OldTalk)
  await before.load(OldPerson, [{ id: 'ada', name: 'Ada' }])
  await before.load(OldTalk, [
    { id: 'engines', title: 'Engines', abstract: 'On steam', speaker: 'ada' },
  ])
  await before.close()
  const [after] = await conferenceOf(sqlite(join(folder, 'conference.db')))
  onTestFinished(() => after!.close())
  const talk = await after!.items(Talk).get('engines')
  expect({ ...talk }).toMatchObject({ title: 'Engines', summary: 'On steam', status: 'draft' })
})
