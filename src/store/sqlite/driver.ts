import type { DatabaseSync as DatabaseSyncType } from '@photostructure/sqlite'

import { countBytesFunction, interruptCheckFunction } from './dialect.ts'

type DatabaseSync = InstanceType<typeof DatabaseSyncType>
type Statement = ReturnType<DatabaseSync['prepare']>
type DriverModule = { readonly DatabaseSync: typeof DatabaseSyncType }

export interface Driver {
  /** What a worker imports to get the same one. */
  readonly specifier: string
  open(file: string, options: { readonly readOnly: boolean }): Database
}

/** A connection. Rows are arrays of the selected values. */
export interface Database {
  prepare(sql: string): PreparedStatement
  exec(sql: string): void
  /**
   * Called between rows by statements that may look at many: what it throws breaks the statement
   * off. Nothing, unless set.
   */
  checkInterrupt: () => void
  /** Does it hold its files until its statements are collected, though it is closed? */
  readonly keepsFilesOpenAfterClose: boolean
  /**
   * Called with the bytes of longer texts that a statement gives: what it throws breaks the
   * statement off. Nothing, unless set.
   */
  countBytes: (bytes: number) => void
  close(): void
}

export interface PreparedStatement {
  all(parameters: readonly unknown[]): unknown[][]
  get(parameters: readonly unknown[]): unknown[] | undefined
  /** How many rows it changed. */
  run(parameters: readonly unknown[]): number
}

/** Node's own SQLite where there is one, else the package that has the same interface. */
export async function loadDriver(): Promise<Driver> {
  const builtIn = withoutExperimentalWarning(
    () => process.getBuiltinModule?.('node:sqlite') as DriverModule | undefined,
  )
  const { DatabaseSync } = builtIn ?? ((await import('@photostructure/sqlite')) as DriverModule)
  return {
    specifier: builtIn ? 'node:sqlite' : '@photostructure/sqlite',
    open(file, { readOnly }) {
      const database = new DatabaseSync(file, { readOnly, enableForeignKeyConstraints: false })
      const made: Database = {
        checkInterrupt: () => {},
        countBytes: () => {},
        // Holding on to `database` here keeps it open: its statements alone would let it be
        // collected, and closed.
        prepare: (sql) => toPreparedStatement(database.prepare(sql)),
        exec: (sql) => database.exec(sql),
        keepsFilesOpenAfterClose: builtIn === undefined,
        close: () => database.close(),
      }
      database.function(interruptCheckFunction, () => {
        made.checkInterrupt()
        return 1
      })
      database.function(countBytesFunction, (bytes: number) => {
        made.countBytes(bytes)
        return 1
      })
      return made
    },
  }
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

/** Node says once that its SQLite is experimental, which tells the users of a service nothing. */
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
