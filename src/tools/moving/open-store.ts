import type { AnyModel } from '../../index.ts'
import { checkOptions, type OptionChecks } from '../../model/check-options.ts'
import { describeModels, type PlanStep } from '../../store/public.ts'
import type { MovableStore, MoveOptions } from './move-options.ts'
import { type ModelPlan, movePlan } from './move-plan.ts'

/**
 * Opens a store and its blob store with models.
 * @param plans those of the models, if they are made already
 */
export async function openStore(
  { store, blobs }: MovableStore,
  models: readonly AnyModel[],
  plans: readonly ModelPlan[] = movePlan(describeModels(models)),
): Promise<readonly ModelPlan[]> {
  // A blob store that nothing needs would create tables or folders.
  if (plans.some(({ model }) => model.resourcePaths.length > 0)) await blobs?.open()
  await store.open(plans.map(({ model }) => model))
  return plans
}

/**
 * Opens a store to read, and its blob store.
 * @throws Error if that would change its tables: a copy leaves its source as it is
 */
export async function openSource(
  from: MovableStore,
  models: readonly AnyModel[],
): Promise<readonly ModelPlan[]> {
  const plans = movePlan(describeModels(models))
  const steps = (await from.store.admin?.plan?.(plans.map(({ model }) => model))) ?? []
  const changes = steps.filter(isChange)
  if (changes.length === 0) return openStore(from, models, plans)
  throw new Error(
    `The store to read does not fit the models, and opening it would change it: ${changes.map(({ summary }) => summary).join(' ')} Start the service with these models first, or copy with those that it has.`,
  )
}

function isChange(step: PlanStep): boolean {
  return step.kind !== 'never' && step.kind !== 'refused'
}

/** @throws RegistrationError for an unknown or invalid option */
export function checkMoveOptions(owner: string, options: MoveOptions): void {
  checkOptions(owner, options, optionChecks)
}

const optionChecks: OptionChecks<MoveOptions> = {
  models: true,
  overwrite: 'boolean',
  onProgress: 'function',
}
