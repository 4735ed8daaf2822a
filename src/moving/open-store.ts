import { checkOptions, type OptionChecks } from '../model/check-options.ts'
import type { AnyModel } from '../model/declare/model.ts'
import { describeModels } from '../model/describe/describe-models.ts'
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

/** @throws RegistrationError for an unknown or invalid option */
export function checkMoveOptions(owner: string, options: MoveOptions): void {
  checkOptions(owner, options, optionChecks)
}

const optionChecks: OptionChecks<MoveOptions> = {
  models: true,
  overwrite: 'boolean',
  onProgress: true,
}
