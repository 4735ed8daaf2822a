import { createRouter } from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { StoreClosed } from '../store/store-failures.ts'
import { DeliverySender } from './delivery-sender.ts'
import { ReadPositions } from './read-positions.ts'
import { RegularLook } from './regular-look.ts'
import { webhookModels } from './webhook-models.ts'
import { webhookSettings } from './webhook-options.ts'
import type { WebhookServices } from './webhook-services.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

/** Services of a router whose store another router has closed. */
function closedServices() {
  const calls: string[] = []
  const errors: unknown[] = []
  const store = memory()
  const models = webhookModels(new Set())
  const router = createRouter({ policy: rest(), store })
  router.prepare(models.Webhook)
  router.prepare(models.WebhookDelivery)
  vi.spyOn(router, 'items').mockImplementation(() => {
    calls.push('items')
    throw new StoreClosed('The store is closed.')
  })
  const callerOf = (id: string) => ({ id })
  const services: WebhookServices = {
    router,
    settings: { ...webhookSettings({ models: [models.Webhook], callerOf }), callerOf },
    models,
    followed: [],
    readPositions: new ReadPositions(),
    onError: (error) => errors.push(error),
  }
  return { services, calls, errors }
}

it('stops sending deliveries without a report once the store is closed', async () => {
  const { services, calls, errors } = closedServices()
  const sender = new DeliverySender(services)
  await vi.advanceTimersByTimeAsync(7_200_000)
  expect({ calls, errors }).toEqual({ calls: ['items'], errors: [] })
  await sender.close()
})

it('stops looking for changes without a report once the store is closed', async () => {
  const { services, calls, errors } = closedServices()
  const look = new RegularLook(services, () => undefined)
  await vi.advanceTimersByTimeAsync(7_200_000)
  expect({ calls, errors }).toEqual({ calls: ['items'], errors: [] })
  await look.close()
})
