import { createRouter } from 'resourcery'
import { rest } from 'resourcery/rest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { newSecret } from '../../src/webhooks/signature.ts'
import { sweepDeliveries } from '../../src/webhooks/sweep-deliveries.ts'
import { webhookModels } from '../../src/webhooks/webhook-models.ts'
import { stores } from '../support/stores.ts'

const nowMs = Date.parse('2026-11-29T00:00:00Z')
const daysAgo = (days: number) => new Date(nowMs - days * 86_400_000).toISOString()

describe.each(stores)('Sweeping deliveries, on $name', ({ make }) => {
  it('deletes what has ended long ago, and what waits too long for a webhook that is off', async () => {
    const router = createRouter({ policy: rest(), store: await make() })
    onTestFinished(() => router.close())
    const models = webhookModels(new Set())
    router.prepare(models.Webhook)
    router.prepare(models.WebhookDelivery)
    const webhook = { url: 'https://hooks.example/', secret: newSecret(), owner: 'emil' }
    const active = await router.items(models.Webhook).create(webhook)
    const off = await router.items(models.Webhook).create({ ...webhook, active: false })
    const add = (
      item: string,
      { id }: { readonly id: string },
      createdDays: number,
      endedDays?: number,
    ) =>
      router.items(models.WebhookDelivery).create({
        webhook: id,
        event: 'book.created',
        item,
        createdAt: daysAgo(createdDays),
        status: endedDays === undefined ? 'pending' : 'failed',
        attempts: 0,
        nextAttemptAt: null,
        lastStatus: null,
        lastError: null,
        deliveredAt: null,
        endedAt: endedDays === undefined ? null : daysAgo(endedDays),
      })
    await add('ended long ago', active, 40, 31)
    await add('ended', active, 40, 29)
    await add('waits for an active webhook', active, 40)
    await add('waits too long', off, 40)
    await add('waits', off, 32)
    await sweepDeliveries({ router, models, settings: { keepDays: 30 } }, nowMs, () => false)
    const kept = await router.items(models.WebhookDelivery).all((all) => all)
    expect(kept.map(({ item }) => item).toSorted()).toEqual([
      'ended',
      'waits',
      'waits for an active webhook',
    ])
  })
})
