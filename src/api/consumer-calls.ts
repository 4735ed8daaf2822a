import { reportConsumers } from '../feature/consumers/consumer-report.ts'
import { askToRepeatAside, type Consumers } from '../feature/consumers/consumers.ts'
import type { ItemsOf } from '../model/items/items.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { backgroundServicesOf } from './background-services.ts'
import type { Opening } from './opening.ts'
import type { Router } from './router.ts'
import type { RouterParts } from './router-lifecycle.ts'

/** What a router does with consumers of its log of changes. */
interface ConsumerCalls extends Pick<Router, 'consumers' | 'repeatAside'> {
  readonly consume: (...call: Parameters<Consumers['add']>) => void
  /** Runs all of them: the router is open. */
  start(): Promise<void>
}

export function consumerCalls(parts: RouterParts, opening: Opening, items: ItemsOf): ConsumerCalls {
  const { settings, consumers, registrations } = parts
  const { store } = settings
  return {
    consume: (...call) => {
      registrations.beforeChange()
      consumers.add(...call)
    },
    consumers: async () => {
      if (consumers.all.length === 0) return []
      await opening.open()
      return reportConsumers(store, store.changes!, consumers.all)
    },
    repeatAside: async (name) => {
      if (consumers.find(name)) {
        await opening.open()
        if (await askToRepeatAside(store, name)) return
      }
      throw new RegistrationError(`The router has no consumer '${name}' that ever ran.`)
    },
    start: async () => {
      const { models } = registrations.assembled()
      await consumers.start({
        ...backgroundServicesOf(parts, items),
        changes: store.changes!,
        models: new Map(models.map((model) => [model.name, model])),
      })
    },
  }
}
