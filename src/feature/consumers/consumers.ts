import { closeRunningOver, runningOver } from '../../background/running-work.ts'
import { lazyPromise } from '../../cache/lazy-promise.ts'
import type { AnyModel } from '../../model/declare/model.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import type { Store } from '../../store/store.ts'
import type { Feature } from '../feature.ts'
import { asideModel, eraseAside } from './aside-table.ts'
import {
  type ConsumeChanges,
  type Consumer,
  type ConsumerOptions,
  createConsumer,
} from './consumer-options.ts'
import type { ConsumerServices } from './consumer-services.ts'
import { consumerRows, newConsumer } from './consumer-table.ts'
import { RunningConsumer } from './running-consumer.ts'

/** The consumers of a router: what is registered, and what runs in this process. */
export class Consumers implements Feature {
  readonly #consumers: Consumer[] = []
  readonly #subjects = new Map<Consumer, string>()
  #startOnce: (() => Promise<void>) | undefined
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /**
   * @param subject what messages about it begin with
   * @throws RegistrationError
   */
  add<M extends AnyModel>(
    name: string,
    options: ConsumerOptions<M>,
    consume: ConsumeChanges<M>,
    subject: string = `The consumer '${name}'`,
  ): void {
    const consumer = createConsumer(name, options, consume as ConsumeChanges)
    if (this.find(name))
      throw new RegistrationError(`Two consumers of the router have the name '${name}'.`)
    this.#consumers.push(consumer)
    this.#subjects.set(consumer, subject)
  }

  get all(): readonly Consumer[] {
    return this.#consumers
  }

  find(name: string): Consumer | undefined {
    return this.#consumers.find((consumer) => consumer.name === name)
  }

  storedModels(): readonly ModelDescription[] {
    return this.#consumers.length > 0 ? [consumerRows.model, asideModel] : []
  }

  /**
   * Refuses consumers of models that the router does not have, or whose changes nobody logs.
   * @throws RegistrationError
   */
  check(models: readonly ModelDescription[], logged: readonly ModelDescription[]): void {
    const faults = this.#consumers.flatMap((consumer) =>
      consumer.options.models.flatMap((model) => {
        const owner = `${this.#subjects.get(consumer)} gets changes of the model '${model.modelName}'`
        const description = models.find((candidate) => candidate.model === model)
        if (!description) return [`${owner}, which is not prepared on this router.`]
        return logged.includes(description)
          ? []
          : [`${owner}, which are not logged. Set the option 'changes' of the router or the model.`]
      }),
    )
    if (faults.length > 0) throw new RegistrationError(faults.join('\n'))
  }

  /** Stores where new ones begin, and runs all of them. Once only. */
  async start(services: ConsumerServices): Promise<void> {
    if (this.#consumers.length === 0) return
    this.#startOnce ??= lazyPromise(() => this.#start(services))
    await this.#startOnce()
  }

  async #start(services: ConsumerServices): Promise<void> {
    const { store, changes } = services
    for (const { name, options } of this.#consumers) {
      if (await consumerRows.find(store, name)) continue
      const position = options.from === 'start' ? '' : await changes.end()
      await store.write((transaction) =>
        consumerRows.insert(transaction, name, newConsumer(position)),
      )
    }
    const running = runningOver(store)
    for (const consumer of this.#consumers) running.add(new RunningConsumer(consumer, services))
  }

  /** The store has what they keep from now on. */
  opened(): void {
    if (this.#consumers.length > 0) storesWithConsumers.add(this.#store)
  }

  /**
   * Removes what consumers of any router over the store have put aside of an item.
   * @returns the number of changes
   */
  async erase({ name }: ModelDescription, id: string): Promise<number> {
    if (!storesWithConsumers.has(this.#store)) return 0
    return this.#store.write((transaction) => eraseAside(transaction, name, id))
  }

  /** Waits for the functions that run, of all routers over the store. */
  async close(): Promise<void> {
    await closeRunningOver(this.#store)
    this.#startOnce = undefined
  }
}

const storesWithConsumers = new WeakSet<Store>()

/**
 * Asks for another attempt of what a consumer has put aside, in whatever process it runs.
 * @returns false if there is no such consumer
 */
export async function askToRepeatAside(store: Store, name: string): Promise<boolean> {
  const row = await store.write((transaction) =>
    consumerRows.change(transaction, name, (row) => ({
      ...row,
      repeatsAsked: row.repeatsAsked + 1,
    })),
  )
  return row !== undefined
}
