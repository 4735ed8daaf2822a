import { RegistrationError } from '../../model/registration-error.ts'
import type { PlanStep } from '../../store/store-plan.ts'
import type { StoreRouter } from './store-router.ts'

/** What a start is going to do to each of several stores. */
export class StorePlans {
  readonly #steps: ReadonlyMap<string, readonly PlanStep[]>

  private constructor(steps: ReadonlyMap<string, readonly PlanStep[]>) {
    this.#steps = steps
  }

  /** A store that cannot be read says so when it opens. */
  static async of(stores: readonly StoreRouter[]): Promise<StorePlans> {
    if (stores.length < 2) return new StorePlans(new Map())
    const plans = await Promise.allSettled(stores.map(({ router }) => router.plan()))
    return new StorePlans(
      new Map(
        stores.map(({ name }, index) => {
          const plan = plans[index]!
          return [name, plan.status === 'fulfilled' ? (plan.value ?? []) : []]
        }),
      ),
    )
  }

  /**
   * Refuses to open stores of which one refuses the models, such as for values that are not
   * unique, while another one would end processes of the old version: these would go on with
   * neither.
   *
   * @throws RegistrationError
   */
  refuseHalfChanged(): void {
    const all = [...this.#steps]
    const refusals = all.flatMap(([name, steps]) =>
      steps.flatMap((step) =>
        step.kind === 'refused' ? [`The store '${name}': ${step.summary}`] : [],
      ),
    )
    const isChanging = all.some(([, steps]) =>
      steps.some((step) => step.kind !== 'refused' && step.endsOldProcesses),
    )
    if (refusals.length > 0 && isChanging)
      throw new RegistrationError(
        `No store was changed, because one of them cannot be:\n${refusals.join('\n')}`,
      )
  }

  /**
   * The error for which a start ends, with the stores that it has changed before: a `backfill` that
   * throws is known only when it runs.
   */
  withChangedStores(error: unknown, opened: readonly StoreRouter[]): unknown {
    const changed = opened
      .filter(({ name }) => this.#steps.get(name)?.some(isDone))
      .map(({ name }) => `'${name}'`)
    if (changed.length === 0 || !(error instanceof RegistrationError)) return error
    return new RegistrationError(
      `${error.message}\nStores that are in the new form already: ${changed.join(', ')}.`,
      { cause: error },
    )
  }
}

/** Does the start itself take the step? */
function isDone({ kind }: PlanStep): boolean {
  return kind !== 'refused' && kind !== 'never'
}
