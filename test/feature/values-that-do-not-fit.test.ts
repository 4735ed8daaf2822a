import { type AnyModel, field, model } from 'resourcery'
import { createStoredItem, describeModels } from 'resourcery/store'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { checkStoredValues } from '../../src/api/check-stored-values.ts'
import { type StoreKind, stores } from '../support/stores.ts'

const Before = model('talk', {
  level: z.enum(['low', 'middle', 'high']),
  count: z.int(),
  secret: field(z.string(), { hidden: true }),
})
const After = model('talk', {
  level: z.enum(['low', 'high']),
  count: z.int().max(6),
  secret: field(z.string(), { hidden: true }),
})

type Data = Awaited<ReturnType<StoreKind['makeData']>>

describe.each(stores)('Stored values that a changed model does not allow, on $name', (kind) => {
  const check = async (newStore: Data, talk: AnyModel, signal = new AbortController().signal) => {
    const store = newStore()
    const models = describeModels([talk])
    const warnings: string[] = []
    await store.open(models)
    try {
      await checkStoredValues(store, models, {
        signal,
        warn: (message) => warnings.push(message),
        delayMs: 0,
      })
    } finally {
      await store.close()
    }
    return warnings
  }
  const dataOf = async (count: number) => {
    const newStore = await kind.makeData()
    const store = newStore()
    const [talk] = describeModels([Before])
    await store.open([talk!])
    await store.write(async (transaction) => {
      for (let index = 0; index < count; index++) {
        const level = index < 7 ? 'middle' : 'low'
        const values = { id: `t${index}`, level, count: index, secret: 's' }
        await transaction.insert(talk!, createStoredItem(talk!, values, 1))
      }
    })
    await store.close()
    return newStore
  }

  it('are counted once for each change of the model, with five ids', async () => {
    const newStore = await dataOf(9)
    expect(await check(newStore, Before)).toEqual([])
    const rest =
      "Clients get these values as they are stored, and a change of such an item needs a value that fits. Correct them in 'talks', or change the schema."
    expect(await check(newStore, After)).toEqual([
      `7 items have a value of 'level' that the model 'talk' does not allow: t0, t1, t2, t3, t4, …. ${rest}`,
      `2 items have a value of 'count' that the model 'talk' does not allow: t7, t8. ${rest}`,
    ])
    expect(await check(newStore, After)).toEqual([])
  })

  it('are counted by the next start where a service ends before', async () => {
    const newStore = await dataOf(9)
    const ended = AbortSignal.abort(new Error('ended'))
    await expect(check(newStore, After, ended)).rejects.toThrow()
    expect(await check(newStore, After)).toHaveLength(2)
  })
})
