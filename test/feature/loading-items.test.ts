import { model, toOne } from 'resourcery'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const Person = model('person', {
  name: z.string().min(1),
  mentor: toOne('person', { optional: true }),
})

describe.each(stores)('Items that a service loads, on $name', ({ make }) => {
  let started: ReturnType<typeof service>
  beforeEach(async () => {
    started = service(await make(), [Person])
  })
  afterEach(() => started.router.close())

  const people = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ id: `p-${index}`, name: `Person ${index}` }))

  it('may lead to later ones', async () => {
    const chain = people(60).map((person, index) => ({
      ...person,
      mentor: `p-${(index + 1) % 60}`,
    }))
    expect(await started.router.load(Person, chain)).toBe(60)
    const { text } = await started.api.get('/people/p-0?include=mentor')
    expect(text).toContain('Person 1')
  })

  it('are not stored where one of them is invalid', async () => {
    const invalid = people(60).map((person, index) =>
      index === 40 ? { ...person, name: '' } : person,
    )
    await expect(started.router.load(Person, invalid)).rejects.toThrow("'p-40' cannot be loaded")
    const { status } = await started.api.get('/people/p-0')
    expect(status).toBe(404)
  })
})
