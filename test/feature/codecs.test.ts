import {
  Action,
  createRouter,
  dateTime,
  field,
  hash,
  list,
  model,
  type Router,
  struct,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const isoDate = z.codec(z.iso.datetime({ offset: true }), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString(),
})
const whole = z.codec(z.string().regex(/^-?\d{1,30}$/), z.bigint(), {
  decode: (text) => BigInt(text),
  encode: (value) => value.toString(),
})
const hour = 3_600_000

class Author extends model('author', {
  born: dateTime({ date: true, optional: true }),
  talks: toMany<Talk>('talk', { inverse: 'author' }),
}) {}
class Talk extends model(
  'talk',
  {
    title: z.string(),
    begins: field(dateTime({ date: true }), { index: true }),
    ended: dateTime({ date: true, optional: true }),
    decided: dateTime({ date: true, default: () => new Date('2024-01-01T00:00:00.500Z') }),
    printed: isoDate.optional(),
    views: whole.prefault('0'),
    isOpen: z.stringbool().default(true),
    break: struct(
      {
        from: dateTime({ date: true }),
        till: isoDate,
        note: z.string().optional(),
        isFree: z.stringbool().optional(),
      },
      { optional: true },
    ),
    slots: list(dateTime({ date: true })),
    plan: z.object({ at: isoDate, count: z.int() }).optional(),
    author: toOne<Author>('author', { optional: true }),
    hash: hash(),
  },
  {
    validate: ({ begins, ended }, issue) => {
      if (ended && ended.getTime() <= begins.getTime()) issue('ended', 'must be after begins')
    },
  },
) {
  get endsAt(): Date {
    return new Date(this.begins.getTime() + hour)
  }

  @Action
  finish(): void {
    this.ended = this.endsAt
    this.views += 1n
    if (this.break) this.break.till = this.ended
  }

  @Action
  rename(): void {
    this.title += '!'
  }
}

describe.each(stores)('Codecs, on $name', ({ make }) => {
  let router: Router
  let api: Client
  let jsonApiClient: Client
  const begins = new Date('2024-05-01T08:00:00.120Z')
  const stored = '2024-05-01T08:00:00.12Z'

  beforeEach(async () => {
    const store = await make()
    router = createRouter({ policy: rest(), store })
    const other = createRouter({ policy: jsonApi(), basePath: '/json-api', store })
    for (const each of [router, other]) {
      each.prepare(Author)
      each.prepare(Talk)
    }
    api = client(router)
    jsonApiClient = client(other, undefined, 'application/vnd.api+json')
    await router.load(Author, [{ id: 'ann', born: new Date(0) }])
    await router.load(Talk, [{ id: 't', title: 'T', begins, author: 'ann' }])
  })

  it('keep and send the form of JSON', async () => {
    const { body } = await api.get('/talks/t')
    expect(body).toEqual({
      talk: {
        id: 't',
        title: 'T',
        begins: stored,
        decided: '2024-01-01T00:00:00.5Z',
        views: '0',
        isOpen: 'true',
        slots: [],
        author: 'ann',
        hash: expect.any(String),
      },
    })
    const response = await api.post('/talks', {
      talk: {
        id: 'u',
        title: 'U',
        begins: '2024-05-01T10:00:00+02:00',
        printed: '2024-05-01T10:00:00+02:00',
        views: '0123456789012345678901234567',
        isOpen: 'no',
        break: { from: '2024-05-01T10:00:00+02:00', till: '2024-05-01T09:00:00Z' },
        slots: ['2024-05-01T10:00:00+02:00'],
        plan: { at: '2024-05-01T10:00:00+02:00', count: 3 },
      },
    })
    expect(response.status, response.text).toBe(201)
    const expected = {
      begins: '2024-05-01T08:00:00Z',
      printed: expect.stringMatching(/T08:00:00(?:\.000)?Z$/),
      views: '123456789012345678901234567',
      isOpen: 'false',
      break: { from: '2024-05-01T08:00:00Z', till: '2024-05-01T09:00:00.000Z' },
      slots: ['2024-05-01T08:00:00Z'],
      plan: { at: '2024-05-01T08:00:00.000Z', count: 3 },
    }
    expect((await api.get('/talks/u')).at('/talk')).toMatchObject(expected)
    const { body: sent } = await jsonApiClient.get('/json-api/talks/u')
    expect((sent as { data: object }).data).toMatchObject({ attributes: expected })
  })

  it('stay the same when a client sends back what it got', async () => {
    const { body, text } = await api.get('/talks/t')
    const put = await api.put('/talks/t', body)
    expect([put.status, put.text]).toEqual([200, text])
  })

  it('refuse what they cannot read, with a pointer', async () => {
    const errorsOf = async (talk: object) => {
      const { status, errors } = await api.patch('/talks/t', { talk })
      return [status, ...errors.map(({ source }) => source?.pointer)]
    }
    expect(await errorsOf({ begins: 'soon' })).toEqual([422, '/talk/begins'])
    expect(await errorsOf({ printed: 'soon' })).toEqual([422, '/talk/printed'])
    expect(await errorsOf({ views: 'x' })).toEqual([422, '/talk/views'])
    expect(await errorsOf({ views: 3 })).toEqual([422, '/talk/views'])
    expect(await errorsOf({ plan: { at: 'x', count: 1 } })).toEqual([422, '/talk/plan/at'])
    expect(await errorsOf({ slots: ['x'] })).toEqual([422, '/talk/slots/0'])
    expect(await errorsOf({ ended: '2020-01-01T00:00:00Z' })).toEqual([422, '/talk/ended'])
  })

  it('are values of code in actions and instances', async () => {
    await api.patch('/talks/t', {
      talk: { break: { from: '2024-05-01T08:00:00Z', till: '2024-05-01T08:30:00Z' } },
    })
    const response = await api.post('/talks/t/finish')
    expect(response.status, response.text).toBe(200)
    expect(response.at('/talk/ended')).toBe('2024-05-01T09:00:00.12Z')
    expect(response.at('/talk/views')).toBe('1')
    expect(response.at('/talk/break/till')).toBe('2024-05-01T09:00:00.120Z')
    expect(response.at('/talk/begins')).toBe(stored)
  })

  it('keep digits that code cannot hold, where code leaves the value alone', async () => {
    const precise = '2024-05-01T08:00:00.123456Z'
    await api.patch('/talks/t', { talk: { begins: precise, slots: [precise] } })
    const response = await api.post('/talks/t/rename')
    expect(response.at('/talk/title')).toBe('T!')
    expect(response.at('/talk/begins')).toBe(precise)
    expect(response.at('/talk/slots')).toEqual([precise])
    await router.items(Talk).update('t', { title: 'T?' })
    expect((await api.get('/talks/t')).at('/talk/begins')).toBe(precise)
  })

  it('are values of code in items, which take both forms', async () => {
    const items = router.items(Talk)
    const talk = await items.get('t', { include: ['author'] })
    expect(talk?.begins).toEqual(begins)
    expect(talk?.ended).toBe(undefined)
    expect(talk?.views).toBe(0n)
    expect(talk?.isOpen).toBe(true)
    expect(talk?.author?.born).toEqual(new Date(0))
    const changed = await items.update('t', {
      begins: new Date(hour),
      printed: new Date(0),
      views: 12n,
      isOpen: false,
      slots: [new Date(hour)],
      plan: { at: new Date(0), count: 1 },
    })
    expect([changed.begins, changed.printed, changed.views]).toEqual([
      new Date(hour),
      new Date(0),
      12n,
    ])
    expect((await api.get('/talks/t')).at('/talk')).toMatchObject({
      begins: '1970-01-01T01:00:00Z',
      printed: expect.stringMatching(/T00:00:00(?:\.000)?Z$/),
      views: '12',
      isOpen: 'false',
      slots: ['1970-01-01T01:00:00Z'],
      plan: { at: '1970-01-01T00:00:00.000Z', count: 1 },
    })
    await items.update('t', { begins: '2024-05-01T10:00:00+02:00' })
    expect((await items.get('t'))?.begins).toEqual(new Date('2024-05-01T08:00:00Z'))
    const { hash: _, ...values } = (await items.get('t'))!
    await items.replace('t', { ...values, title: 'Again' })
    expect((await items.get('t'))?.views).toBe(12n)
    await expect(items.update('t', { begins: new Date(Number.NaN) })).rejects.toThrow(
      'expected a date-time',
    )
  })

  it('are compared in their stored form', async () => {
    await router
      .items(Talk)
      .create({ title: 'Late', id: 'u', begins: new Date(begins.getTime() + 1) })
    const found = async (
      narrow: (query: ReturnType<typeof router.query<typeof Talk>>) => unknown,
    ) => {
      const ids: string[] = []
      for await (const { id } of (narrow(router.query(Talk).sort('id')) as typeof all).exec())
        ids.push(id)
      return ids
    }
    const all = router.query(Talk)
    expect(await found((query) => query.where('begins').equal(begins))).toEqual(['t'])
    expect(
      await found((query) => query.where('begins').equal('2024-05-01T10:00:00.12+02:00')),
    ).toEqual(['t'])
    expect(await found((query) => query.where('begins').greaterThan(begins))).toEqual(['u'])
    expect(await found((query) => query.where('begins').anyOf([begins]))).toEqual(['t'])
    expect(await found((query) => query.where('author.born').equal(new Date(0)))).toEqual(['t'])
    expect(await found((query) => query.where('isOpen').equal(true))).toEqual(['t', 'u'])
    expect(await found((query) => query.where('views').equal(0n))).toEqual(['t', 'u'])
    expect(await found((query) => query.where('ended').isNull())).toEqual(['t', 'u'])
    expect((await api.get(`/talks?filter[begins]=${stored}`)).ids('talks')).toEqual(['t'])
    const nested = await found((query) => query.where('break.from').equal(begins))
    expect(nested).toEqual([])
    expect(() => all.where('break.isFree').equal(true)).toThrow(
      "'break.isFree' is stored as text by a codec. Compare it with the text.",
    )
    for await (const talk of all.exec()) expect(talk.begins).toBeInstanceOf(Date)
  })

  it('are values of code in hooks, mappers and query hooks', async () => {
    const hooked = createRouter({ policy: rest(), store: await make() })
    const seen: unknown[] = []
    hooked.prepare(Author)
    hooked
      .prepare(Talk)
      .use({
        query: { any: (query) => query.where('begins').greaterThan(new Date(0)) },
        write: {
          before: ({ next, previous }) => {
            if (!next) return
            seen.push(next.begins, previous?.begins)
            next.decided = new Date(next.begins.getTime() + hour)
            next.views = (previous?.views ?? 0n) + 1n
          },
          after: ({ item }) => {
            seen.push(item?.decided)
          },
        },
      })
      .map((talk) => ({ ...talk, begins: new Date(talk.begins.getTime() + hour) }))
    const mapped = client(hooked)
    const response = await mapped.post('/talks', { talk: { id: 'm', title: 'M', begins: stored } })
    expect(response.status, response.text).toBe(201)
    expect(response.at('/talk')).toMatchObject({
      begins: '2024-05-01T09:00:00.12Z',
      decided: '2024-05-01T09:00:00.12Z',
      views: '1',
      isOpen: 'true',
    })
    expect(seen).toEqual([begins, undefined, new Date(begins.getTime() + hour)])
    expect((await mapped.get('/talks')).ids('talks')).toEqual(['m'])
    await mapped.patch('/talks/m', { talk: { begins: '1960-01-01T00:00:00Z' } })
    expect((await mapped.get('/talks/m')).status).toBe(404)
  })
})

describe('A schema with a codec', () => {
  const refusal = (schema: z.ZodType, options = {}) => {
    const { router } = service(memory(), [model('thing', { odd: field(schema, options) })])
    try {
      router.rules
      return 'accepted'
    } catch (error) {
      return (error as Error).message
    }
  }

  it('is documented in its form of JSON', async () => {
    const { router } = service(memory(), [
      model('thing', { at: isoDate, till: dateTime({ date: true, default: new Date(0) }) }),
    ])
    const { schemas } = (await router.toOpenApi()).components as {
      schemas: Record<string, { properties: Record<string, object> }>
    }
    expect(schemas.Thing!.properties.at).toMatchObject({ type: 'string', format: 'date-time' })

    expect(schemas.ThingCreate!.properties.till).toMatchObject({
      type: 'string',
      format: 'date-time',
      default: '1970-01-01T00:00:00Z',
    })
  })

  it('is refused where it cannot be reversed, in a sentence that says what to do', () => {
    expect(refusal(isoDate.transform((date) => date.getTime()))).toMatch(
      "The field 'odd' of the model 'thing' has a codec and transform() or preprocess(), which cannot be reversed. Make it a codec too",
    )
    expect(refusal(z.object({ at: isoDate, name: z.string().catch('') }))).toContain('catch()')
    expect(refusal(z.lazy(() => z.array(isoDate.pipe(z.transform(String)))))).toContain('reversed')
    const slow = z.codec(z.string(), z.date(), {
      decode: async (text) => new Date(text),
      encode: (date) => date.toISOString(),
    })
    expect(refusal(slow)).toContain('asynchronous')
    const broken = z.codec(z.iso.date(), z.date(), {
      decode: (text) => new Date(text),
      encode: (date) => date.toISOString().slice(0, 4) as never,
    })
    expect(refusal(broken, { example: '2024-05-01' })).toContain(
      'has a codec that cannot read "2024-05-01" and write it back',
    )
    const growing = z.codec(z.string(), z.string(), {
      decode: (text) => text,
      encode: (text) => `${text}!`,
    })
    expect(refusal(growing.prefault('a'))).toContain('lead to the same value again')
  })

  it('is needed for values that JSON does not have', () => {
    for (const schema of [z.date(), z.coerce.date(), z.bigint(), z.string().transform(Number)])
      expect(refusal(schema)).toContain(
        'Use a JSON type, dateTime({ date: true }) for dates, or a codec that works in both directions, such as z.codec().',
      )
  })

  it('is not needed for coercions to values of JSON', () => {
    for (const schema of [z.coerce.number(), z.coerce.string(), z.coerce.boolean()])
      expect(refusal(schema)).toBe('accepted')
  })
})
