/** What came of an attempt. */
type Outcome<T> = { readonly value: T } | { readonly error: unknown }

interface FirstOptions<T> {
  /** How long an attempt may take before the next one begins beside it. */
  readonly pauseMs: number
  /** How often one that has failed is made again, while another one takes its time. */
  readonly retryMs: number
  /** Gets what attempts result in after the first. */
  onLate(value: T): void
}

/**
 * Makes attempts in turn, until one of them succeeds: the next one begins once the one before it
 * has failed, or takes too long. Those that have failed are made again until each has ended once:
 * while nobody knows whether one of them is of any use, another one may be.
 *
 * @returns the result of the first that succeeds, or the errors of all in their order
 */
export function firstToSucceed<T>(
  attempts: readonly (() => Promise<T>)[],
  { pauseMs, retryMs, onLate }: FirstOptions<T>,
): Promise<{ readonly value: T } | { readonly errors: readonly unknown[] }> {
  return new Promise((resolve) => {
    const errors: unknown[] = []
    let isOver = false
    let begun = 0
    let failed = 0
    let timer: NodeJS.Timeout | undefined

    const begin = (): void => {
      clearTimeout(timer)
      const index = begun++
      void outcomeOf(attempts[index]!).then((outcome) => {
        if ('error' in outcome) failed++
        settle(index, outcome)
      })
      if (begun < attempts.length) timer = setTimeout(begin, pauseMs)
    }
    const retry = (index: number): void => {
      if (!isOver) void outcomeOf(attempts[index]!).then((outcome) => settle(index, outcome))
    }
    const settle = (index: number, outcome: Outcome<T>): void => {
      if ('value' in outcome) {
        if (isOver) onLate(outcome.value)
        else resolve(outcome)
        isOver = true
        clearTimeout(timer)
        return
      }
      errors[index] = outcome.error
      if (isOver) return
      if (failed === attempts.length) {
        isOver = true
        resolve({ errors })
        return
      }
      setTimeout(retry, retryMs, index)
      // Attempts before it may be under way.
      if (begun < attempts.length) begin()
    }
    begin()
  })
}

function outcomeOf<T>(attempt: () => Promise<T>): Promise<Outcome<T>> {
  return attempt().then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
}
