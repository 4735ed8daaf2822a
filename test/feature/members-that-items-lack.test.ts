import { type AnyModel, action, field, model, RegistrationError, toOne } from 'resourcery'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const Room = model('room', { name: z.string() })

const Before = model('talk', {
  title: z.string(),
  room: toOne('room', { optional: true }),
})

class Allowing extends model('talk', {
  title: z.string(),
  audience: field(z.enum(['all', 'experts']), { missing: 'allow' }),
  code: field(z.string(), { writeOnly: true, missing: 'allow' }),
  room: toOne('room', { missing: 'allow' }),
}) {
  accept(): void {
    this.title = `${this.title}!`
  }

  forget(): void {
    this.title = 'x'
    this.room = null
  }

  static {
    action(this, 'accept')
    action(this, 'forget')
  }
}

describe.each(stores)('A member that stored items lack, on $name', ({ makeData }) => {
  const dataOf = async (count: number) => {
    const newStore = await makeData()
    const { router } = service(newStore(), [Before, Room])
    await router.load(Room, [{ id: 'r', name: 'R' }])
    await router.load(
      Before,
      Array.from({ length: count }, (_, index) => ({ id: `t${index}`, title: `T${index}` })),
    )
    await router.close()
    return newStore
  }
  const started = (newStore: Awaited<ReturnType<typeof makeData>>, talk: AnyModel) => {
    const { router, api } = service(newStore(), [talk, Room])
    onTestFinished(() => router.close())
    return { router, api }
  }

  it('is refused by a start, which counts the items, and by a plan', async () => {
    const newStore = await dataOf(7)
    const Strict = model('talk', {
      title: z.string(),
      audience: z.string(),
      room: toOne('room'),
    })
    const { router } = service(newStore(), [Strict, Room])
    const faults = [
      "The field 'audience' of the model 'talk' requires a value, but 7 items have none: t0, t1, t2, t3, t4, …. Give it a default, make it optional, fill it in with { backfill: (old) => … }, or allow these items with { missing: 'allow' }.",
      "The relation 'room' of the model 'talk' is required, but 7 items have none: t0, t1, t2, t3, t4, …. Make it optional, or allow these items with { missing: 'allow' }.",
    ]
    const plan = await router.plan()
    if (plan)
      expect(plan.filter(({ kind }) => kind === 'refused').map(({ summary }) => summary)).toEqual(
        faults,
      )
    await expect(router.open()).rejects.toThrow(new RegistrationError(faults.join('\n')))
    await router.close()
    const { api } = started(newStore, Before)
    expect((await api.get('/talks')).ids('talks')).toHaveLength(7)
  })

  it('is no reason to refuse where there are no items, or a default', async () => {
    const none = await dataOf(0)
    const Strict = model('talk', { title: z.string(), room: toOne('room') })
    await started(none, Strict).router.open()
    const one = await dataOf(1)
    const Later = model('talk', { ...Before.fields, level: z.int().default(3) })
    const { api } = started(one, Later)
    expect((await api.get('/talks/t0')).at('/talk/level')).toBe(3)
  })

  it('is looked for once', async () => {
    const newStore = await dataOf(1)
    const Strict = model('talk', { title: z.string(), room: toOne('room') })
    const { api, router } = started(newStore, Before)
    await api.patch('/talks/t0', { talk: { room: 'r' } })
    await router.close()
    for (let start = 0; start < 2; start++) {
      const again = started(newStore, Strict)
      expect((await again.api.get('/talks/t0')).at('/talk/room')).toBe('r')
      await again.router.close()
    }
  })

  it('may be missing where the model allows it, and the document says so', async () => {
    const { router, api } = started(await dataOf(1), Allowing)
    expect((await api.get('/talks/t0')).at('/talk')).toEqual({ id: 't0', title: 'T0', room: null })
    expect((await api.get('/talks?filter[room]=r')).ids('talks')).toEqual([])
    expect((await api.get('/talks?sort=-audience')).ids('talks')).toEqual(['t0'])
    const schemas = router.toOpenApi().components!.schemas as Record<
      string,
      { required?: string[]; properties: Record<string, unknown> }
    >
    expect(schemas.Talk).toMatchObject({
      required: ['id', 'title', 'room'],
      properties: { room: { type: ['string', 'null'] } },
    })
    const created = await api.post('/talks', { talk: { title: 'N' } })
    expect(created.errors.map(({ detail }) => detail)).toEqual([
      "'audience' is required.",
      "'code' is required.",
      "'room' is required; expected the id of a room.",
    ])
  })

  it('blocks no change of these items where the model allows it', async () => {
    const { router, api } = started(await dataOf(2), Allowing)
    expect((await api.post('/talks/t0/accept')).at('/talk/title')).toBe('T0!')
    expect((await api.patch('/talks/t0', { talk: { title: 'U' } })).status).toBe(200)
    await router.items(Allowing).update('t1', { title: 'V' })
    const filled = await api.patch('/talks/t0', { talk: { audience: 'all', room: 'r' } })
    expect(filled.at('/talk')).toEqual({ id: 't0', title: 'U', audience: 'all', room: 'r' })
    expect((await api.patch('/talks/t0', { talk: { audience: null } })).status).toBe(422)
    expect((await api.post('/talks/t0/forget')).errors[0]?.detail).toBe(
      "The action 'forget' produced an invalid talk: 'room': it is required.",
    )
    expect((await api.post('/talks/t1/forget')).status).toBe(200)
  })
})

describe("The option 'missing'", () => {
  it('is refused where no item can lack the member', () => {
    const start = (talk: AnyModel) => service({} as never, [talk, Room]).router.rules
    expect(() =>
      start(model('talk', { title: field(z.string().optional(), { missing: 'allow' }) })),
    ).toThrow("The field 'title' of the model 'talk' has the option 'missing', but its schema is")
    expect(() =>
      start(model('talk', { room: toOne('room', { optional: true, missing: 'allow' }) })),
    ).toThrow("has the option 'missing', but the relation is optional. Remove 'missing'.")
    expect(() => field(z.string(), { missing: 'deny' as never })).toThrow(
      "The option 'missing' of field() must be 'allow'; got 'deny'.",
    )
  })
})
