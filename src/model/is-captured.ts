import type { ModelDescription } from './model-description.ts'

/** Do triggers log what other programs write to the tables of the model? */
export function isCaptured({ changeLogging }: Pick<ModelDescription, 'changeLogging'>): boolean {
  return changeLogging.kind === 'always' && changeLogging.capture === 'triggers'
}
