import type { DatabaseSync as DatabaseSyncType } from '@photostructure/sqlite'

import { foldText } from '../../query/fold-text.ts'
import { wordsOf } from '../../query/search-words.ts'
import { localDay } from '../groups/date-part.ts'
import { decimalLimbs } from '../groups/decimal-limbs.ts'
import { localDayFunction } from './date-part-sql.ts'
import {
  countBytesFunction,
  foldFunction,
  interruptCheckFunction,
  wordsFunction,
} from './dialect.ts'
import { decimalLimbsFunction } from './exact-sum-sql.ts'

type DatabaseSync = InstanceType<typeof DatabaseSyncType>
type Statement = ReturnType<DatabaseSync['prepare']>
type UserFunction = (...values: readonly unknown[]) => unknown
type BackUp = (source: DatabaseSync, target: string, options: { rate: number }) => Promise<number>
type DriverModule = {
  readonly DatabaseSync: typeof DatabaseSyncType
  /** Node.js before 22.16 has none. */
  readonly backup?: BackUp
}

/** Pages that are copied before other work of the process goes on. */
const pagesPerStep = 1_000

export interface Driver {
  /** The module that a worker imports to get the same driver. */
  readonly specifier: string
  open(file: string, options: { readonly readOnly: boolean }): Database
}

/** A connection. Rows are arrays of the selected values. */
export interface Database {
  prepare(sql: string): PreparedStatement
  exec(sql: string): void
  readonly isInTransaction: boolean
  /**
   * Called between rows by statements that may read many rows; an error aborts the statement. Does
   * nothing by default.
   */
  checkInterrupt: () => void
  /** Does a closed connection keep its files open until its statements are garbage collected? */
  readonly keepsFilesOpenAfterClose: boolean
  /**
   * Called with the size of each longer text that a statement returns; an error aborts the
   * statement. Does nothing by default.
   */
  countBytes: (bytes: number) => void
  /** Makes a function that SQL can call. An error of it aborts the statement. */
  defineFunction(name: string, implementation: UserFunction): void
  /**
   * Copies the database into an empty file, and makes the copy durable.
   * @throws Error if the driver cannot
   */
  backUp(target: string): Promise<void>
  close(): void
}

export interface PreparedStatement {
  all(parameters: readonly unknown[]): unknown[][]
  get(parameters: readonly unknown[]): unknown[] | undefined
  /** Returns how many rows it changed. */
  run(parameters: readonly unknown[]): number
}

/**
 * Loads `node:sqlite` where Node has it, else the package with the same interface.
 * @throws Error if Node has none and the package is missing
 */
export async function loadDriver(): Promise<Driver> {
  const builtIn = withoutExperimentalWarning(
    () => process.getBuiltinModule?.('node:sqlite') as DriverModule | undefined,
  )
  const { DatabaseSync, backup } = builtIn ?? (await loadPackage())
  return {
    specifier: builtIn ? 'node:sqlite' : '@photostructure/sqlite',
    open(file, { readOnly }) {
      const database = new DatabaseSync(file, { readOnly, enableForeignKeyConstraints: false })
      const functions = new Map<string, UserFunction>()
      const opened: Database = {
        checkInterrupt: () => {},
        countBytes: () => {},
        // This closure keeps `database` alive: with only its statements left, it would be collected
        // and closed.
        prepare: (sql) => toPreparedStatement(database.prepare(sql)),
        exec: (sql) => database.exec(sql),
        // Node.js before 22.16 has no such property.
        get isInTransaction() {
          return (
            (database as { readonly isTransaction?: boolean }).isTransaction ??
            refusesBegin((sql) => database.exec(sql))
          )
        },
        keepsFilesOpenAfterClose: builtIn === undefined,
        defineFunction(name, implementation) {
          // Without `varargs` it would take the parameters that it declares, and no others.
          if (!functions.has(name))
            database.function(name, { varargs: true }, (...values: never[]) =>
              functions.get(name)!(...values),
            )
          functions.set(name, implementation)
        },
        async backUp(target) {
          if (!backup)
            throw new Error(
              `Node.js ${process.versions.node} cannot copy a database that is in use; expected 22.16 or newer.`,
            )
          await backup(database, target, { rate: pagesPerStep })
        },
        close() {
          // The database holds its functions, and they could hold statements of it.
          functions.clear()
          database.close()
        },
      }
      database.function(interruptCheckFunction, { varargs: true }, () => {
        opened.checkInterrupt()
        return 1
      })
      database.function(countBytesFunction, (bytes: number) => {
        opened.countBytes(bytes)
        return 1
      })
      database.function(foldFunction, { deterministic: true }, (text: unknown) =>
        typeof text === 'string' ? foldText(text) : null,
      )
      database.function(wordsFunction, { deterministic: true }, (text: unknown) =>
        typeof text === 'string' ? wordsOf(text) : '',
      )
      database.function(decimalLimbsFunction, { deterministic: true }, decimalLimbs)
      database.function(localDayFunction, { deterministic: true }, (key: unknown, zone: unknown) =>
        localDay(String(key), String(zone)),
      )
      return opened
    },
  }
}

/** Is a transaction open? SQLite begins none inside another. */
export function refusesBegin(execute: (sql: string) => void): boolean {
  try {
    execute('begin')
  } catch {
    return true
  }
  execute('rollback')
  return false
}

function toPreparedStatement(statement: Statement): PreparedStatement {
  if (typeof statement.setReturnArrays === 'function') {
    statement.setReturnArrays(true)
    return {
      all: (parameters) => statement.all(...parameters),
      get: (parameters) => statement.get(...parameters),
      run: (parameters) => Number(statement.run(...parameters).changes),
    }
  }
  const asArray = (row: object | undefined) => row && Object.values(row)
  return {
    all: (parameters) => statement.all(...parameters).map((row) => Object.values(row)),
    get: (parameters) => asArray(statement.get(...parameters)),
    run: (parameters) => Number(statement.run(...parameters).changes),
  }
}

function loadPackage(): Promise<DriverModule> {
  return import('@photostructure/sqlite').catch((cause: NodeJS.ErrnoException) => {
    // An installed package that cannot be loaded says why.
    if (cause.code !== 'ERR_MODULE_NOT_FOUND') throw cause
    throw new Error(
      "SQLite needs the package '@photostructure/sqlite'. Run 'npm install @photostructure/sqlite'.",
      { cause },
    )
  })
}

/**
 * Suppresses the warning that `node:sqlite` is experimental; users of a service cannot act on it.
 */
function withoutExperimentalWarning<T>(load: () => T): T {
  const { emitWarning } = process
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    if (String(warning).startsWith('SQLite is an experimental feature')) return
    Reflect.apply(emitWarning, process, [warning, ...rest])
  }) as typeof emitWarning
  try {
    return load()
  } finally {
    process.emitWarning = emitWarning
  }
}
