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

/** How long the changes of these models are kept, by name. */
export function keepDaysOf(
  { keepDays }: Pick<ChangeLogSettings, 'keepDays'>,
  models: readonly ModelDescription[],
): ReadonlyMap<string, number> {
  return new Map(
    models.map(({ name, changeLogging }) => [
      name,
      (changeLogging.kind === 'always' ? changeLogging.keepDays : undefined) ?? keepDays,
    ]),
  )
}
