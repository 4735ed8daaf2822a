import { memoizeBy } from '../../../cache/memoize-by.ts'
import type { ModelDescription } from '../../../model/model-description.ts'
import type { ChangeLog } from '../../../store/change-log.ts'
import type { Feature, RouterSetup } from '../../feature.ts'
import { type ChangesOptions, changeLogSettings } from '../change-log-options.ts'
import { loggedModelsOf } from '../logged-models.ts'
import { LogTail } from './log-tail.ts'
import { RouterChangeFeed, routerChangeFeedErrors } from './router-change-feed.ts'

/**
 * Lets clients follow the changes in the log that they may see.
 * @throws RegistrationError for an invalid option
 */
export function changeFeed(
  option: boolean | ChangesOptions | undefined,
  { store, changePositions, clock, onError }: RouterSetup,
): Feature | undefined {
  const settings = changeLogSettings(option)
  if (!store.changes || !settings.feed) return undefined
  let logged: readonly ModelDescription[] = []
  const feed = new RouterChangeFeed(settings.feed, {
    tail: tailOf(store.changes, onError),
    positions: changePositions,
    clock,
    isLogged: (name) => logged.some((model) => model.name === name),
  })
  return {
    changeFeed: feed,
    hostFacts: { endStreams: () => feed.endStreams() },
    followedModels: (models) => loggedModelsOf(settings, models),
    registered: (models) => {
      logged = loggedModelsOf(settings, models)
    },
    completes: ({ target }) =>
      target.kind === 'changes' || target.kind === 'feed'
        ? { declaration: { errors: routerChangeFeedErrors } }
        : undefined,
    erase: async () => {
      feed.forget()
      return 0
    },
    close: async () => feed.close(),
  }
}

/** Of all routers over a store. */
const tailOf = memoizeBy(
  (log: ChangeLog, onError: (error: unknown) => void) => new LogTail(log, onError),
)
