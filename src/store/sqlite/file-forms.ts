import { performance } from 'node:perf_hooks'
import { formOf } from '../renewed-item.ts'
import { StoreUnavailable } from '../store.ts'
import type { Connection } from './connection.ts'
import type { TableLayout } from './layout.ts'

/**
 * Holds the form of the items in the file (`renew-items.ts`) against the one that the models of this process have. Another process may have
 * migrated the file to other models since: what this one wrote would then stand in a form that the other does not expect, so that it would
 * show what it hides.
 */
export interface FileForms {
  /** From now on the file is to have these. Returns what takes it back. */
  expect(layouts: readonly TableLayout[]): () => void
  /** What keeps this process from using the file: another one has migrated it. */
  fault(): StoreUnavailable | undefined
}

/** A process that is being replaced has gone by then, as a rule. */
const retryAfterSeconds = 5

/**
 * Seen through one connection. Inside a transaction that writes, nobody can migrate the file between the check and the write.
 * @param lagMs how late the check may be, where many ask
 */
export function fileForms(connection: Connection, lagMs: number): FileForms {
  let expected: ReadonlyMap<string, string> = new Map()
  let seen: unknown
  let last = Number.NEGATIVE_INFINITY
  const set = (forms: ReadonlyMap<string, string>): void => {
    expected = forms
    seen = undefined
    last = Number.NEGATIVE_INFINITY
  }
  return {
    expect(layouts) {
      const before = expected
      set(new Map([...before, ...layouts.map(({ model }) => [model.plural, formOf(model)] as const)]))
      return () => set(before)
    },
    fault() {
      if (lagMs > 0) {
        const now = performance.now()
        if (now - last < lagMs) return undefined
        last = now
      }
      // The forms are compared only where another connection has written since the last time, which this says at little cost.
      const version = connection.prepared('pragma data_version').get([])?.[0]
      if (version === seen) return undefined
      for (const [plural, form] of expected) {
        if (formInFile(connection, plural) === form) continue
        last = Number.NEGATIVE_INFINITY
        return migrated(plural)
      }
      seen = version
      return undefined
    },
  }
}

/** The form of the items that the file holds of a model; undefined where it holds none yet. */
export function formInFile(connection: Connection, plural: string): unknown {
  return connection.prepared('select value from "_layout" where key = ?').get([formKey(plural)])?.[0]
}

export function formKey(plural: string): string {
  return `form of ${plural}`
}

function migrated(plural: string): StoreUnavailable {
  return new StoreUnavailable(
    `Another process has migrated the '${plural}' in the SQLite file to another form of their model, so this process must not use the file any more: end it, or start it again.`,
    { retryAfterSeconds },
  )
}
