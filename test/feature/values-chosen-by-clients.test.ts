import { createRouter, field, model, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import type { RequestContext } from 'resourcery/types'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const isReception = ({ request }: RequestContext) => request.headers['x-user'] === 'reception'

const Patient = model('patient', { name: z.string() })
const Visit = model('visit', {
  room: field(z.string().max(9).default('A'), {
    from: (context, sent) => (isReception(context) ? (sent as string | undefined) : 'B'),
  }),
  patient: toOne('patient', {
    from: (context, sent) =>
      isReception(context) && typeof sent === 'string' ? sent : context.request.headers['x-user'],
  }),
})

describe.each(stores)('A value that some clients may choose, on $name', ({ make }) => {
  let api: Client
  let jsonApiClient: Client

  beforeEach(async () => {
    const store = await make()
    const rests = createRouter({ policy: rest(), store })
    const other = createRouter({ policy: jsonApi(), basePath: '/json-api', store })
    for (const router of [rests, other]) {
      router.prepare(Patient).use({
        // Nobody sees this patient.
        query: { any: (query) => query.where('name').notEqual('secret') },
      })
      router.prepare(Visit)
    }
    api = client(rests)
    jsonApiClient = client(other, undefined, 'application/vnd.api+json')
    await rests.load(Patient, [
      { id: 'ann', name: 'Ann' },
      { id: 'bob', name: 'Bob' },
      { id: 'secret', name: 'secret' },
    ])
  })

  const book = (user: string, visit: object) => api.post('/visits', { visit }, { 'x-user': user })

  it('is theirs, or the one that the service makes', async () => {
    const chosen = await book('reception', { patient: 'bob', room: 'C' })
    expect(chosen.at('/visit')).toMatchObject({ patient: 'bob', room: 'C' })
    expect((await book('reception', { patient: 'ann' })).at('/visit/room')).toBe('A')
    expect((await book('ann', {})).at('/visit')).toMatchObject({ patient: 'ann', room: 'B' })
    expect((await book('ann', { patient: 'ann', room: 'B' })).status).toBe(201)
    const data = {
      type: 'visits',
      relationships: { patient: { data: { type: 'patients', id: 'bob' } } },
    }
    const created = await jsonApiClient.post(
      '/json-api/visits',
      { data },
      { 'x-user': 'reception' },
    )
    expect(created.at('/data/relationships/patient/data/id')).toBe('bob')
  })

  it('is refused to the others, and validated', async () => {
    const { errors } = await book('ann', { patient: 'bob', room: 'C' })
    expect(errors.map(({ status, source }) => [status, source?.pointer])).toEqual([
      [403, '/visit/room'],
      [403, '/visit/patient'],
    ])
    expect((await book('reception', { patient: 'ann', room: 'much too long' })).status).toBe(422)
    expect((await book('reception', { patient: 'ann', room: 7 })).status).toBe(422)
  })

  it('leads only to what the client sees', async () => {
    const [hidden, missing] = [
      await book('reception', { patient: 'secret' }),
      await book('reception', { patient: 'nobody' }),
    ]
    expect(hidden.status).toBe(missing.status)
    expect(hidden.text.replaceAll('secret', 'nobody')).toBe(missing.text)
    // The service may lead to what its client does not see.
    expect((await book('secret', { patient: 'secret' })).status).toBe(201)
  })
})
