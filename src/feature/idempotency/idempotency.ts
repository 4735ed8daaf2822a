import type { Feature, RouterSetup } from '../feature.ts'
import { batchRunner } from './batch-once.ts'
import {
  checkRequiredModels,
  type IdempotencyOptions,
  idempotencySettings,
  refuseUnkeptRecords,
} from './idempotency-options.ts'
import { idempotentRulePart } from './idempotent-rules.ts'
import { operationRunner } from './operate-once.ts'

/**
 * Writes that clients can repeat with an `Idempotency-Key`; undefined if the option is off.
 * @throws RegistrationError
 */
export function idempotency(
  option: boolean | IdempotencyOptions | undefined,
  router: RouterSetup,
): Feature | undefined {
  const settings = idempotencySettings(option, router)
  if (!settings) return undefined
  const { keeper } = settings
  return {
    keepsRequests: true,
    registered: (models) => checkRequiredModels(settings, models),
    completes: (rule, services) => idempotentRulePart(settings, rule, services),
    operationRunner: (rule, services) => operationRunner(settings, rule, services),
    batchRunner: (rule, services) => batchRunner(settings, rule, services),
    opened: ({ models }) => {
      if (models.length > 0) refuseUnkeptRecords(settings)
      keeper.sweepSometimes(Date.now())
    },
    close: () => keeper.close(),
  }
}
