import { retriesMs } from './retry-times.ts'
import type { WebhookServices } from './webhook-services.ts'

/** How many deliveries one transaction deletes. */
const maxSwept = 500

/**
 * Deletes deliveries that have ended and are too old, and those that wait too long for a webhook
 * that is switched off: it may stay so for ever. What an active webhook gets still has no end.
 */
export async function sweepDeliveries(
  { router, models: { WebhookDelivery }, settings }: SweptServices,
  nowMs: number,
  isStopped: () => boolean,
): Promise<void> {
  const keepMs = settings.keepDays * 86_400_000
  const endedBefore = new Date(nowMs - keepMs).toISOString()
  const waitingBefore = new Date(nowMs - keepMs - retriesMs).toISOString()
  const deliveries = router.items(WebhookDelivery)
  const sweeps = [
    () =>
      deliveries.deleteWhere((all) =>
        all
          .where('status')
          .notEqual('pending')
          .where('endedAt')
          .lessThan(endedBefore)
          .limit(maxSwept),
      ),
    () =>
      deliveries.deleteWhere((all) =>
        all
          .where('status')
          .equal('pending')
          .where('createdAt')
          .lessThan(waitingBefore)
          .where('webhook.active')
          .equal(false)
          .limit(maxSwept),
      ),
  ]
  for (const sweep of sweeps) while (!isStopped() && (await sweep()) === maxSwept);
}

/** What it needs of the services. */
type SweptServices = Pick<WebhookServices, 'router' | 'models'> & {
  readonly settings: Pick<WebhookServices['settings'], 'keepDays'>
}
