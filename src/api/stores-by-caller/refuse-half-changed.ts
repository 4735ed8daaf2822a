import { RegistrationError } from '../../model/registration-error.ts'
import type { PlanStep } from '../../store/store-plan.ts'
import type { StoreRouter } from './store-router.ts'

/**
 * Refuses to open stores of which one refuses the models, such as for values that are not unique,
 * while another one would end processes of the old version: these would go on with neither.
 *
 * @throws RegistrationError
 */
export async function refuseHalfChanged(stores: readonly StoreRouter[]): Promise<void> {
  if (stores.length < 2) return
  // A store that cannot be read says so when it opens.
  const plans = await Promise.allSettled(stores.map(({ router }) => router.plan()))
  const stepsOf = (index: number): readonly PlanStep[] => {
    const plan = plans[index]!
    return plan.status === 'fulfilled' ? (plan.value ?? []) : []
  }
  const refusals = stores.flatMap(({ name }, index) =>
    stepsOf(index).flatMap((step) =>
      step.kind === 'refused' ? [`The store '${name}': ${step.summary}`] : [],
    ),
  )
  const isChanging = stores.some((_, index) =>
    stepsOf(index).some((step) => step.kind !== 'refused' && step.endsOldProcesses),
  )
  if (refusals.length > 0 && isChanging)
    throw new RegistrationError(
      `No store was changed, because one of them cannot be:\n${refusals.join('\n')}`,
    )
}
