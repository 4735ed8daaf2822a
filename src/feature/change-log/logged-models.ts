import type { ModelDescription } from '../../model/model-description.ts'
import type { ChangeLogSettings } from './change-log-options.ts'

/** The models whose changes are in the log. */
export function loggedModelsOf(
  { models: chosen }: Pick<ChangeLogSettings, 'models'>,
  models: readonly ModelDescription[],
): readonly ModelDescription[] {
  return models.filter(({ changeLogging }) =>
    changeLogging.kind === 'default' ? chosen === 'all' : changeLogging.kind === 'always',
  )
}
