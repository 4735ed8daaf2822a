import type { ServedStore } from '../../adapter/node.ts'

/** The options of `resourcery dev`, as they are typed. */
export interface TypedOptions {
  readonly port?: string
  readonly host?: string
  /** The SQLite file for the items of a file of data. */
  readonly database?: string
}

/** What a runner imports: files of the developer, and packages. */
export interface Imports {
  /** Paths of files, and those that were looked for and do not exist. */
  readonly files: readonly string[]
  /** URLs of modules of packages that these files import. */
  readonly packages: readonly string[]
}

/** What `resourcery dev` sends to a runner. */
export type RunnerCommand =
  | { readonly kind: 'prepare'; readonly file: string; readonly packages: readonly string[] }
  | { readonly kind: 'run'; readonly file: string; readonly typed: TypedOptions }
  | { readonly kind: 'connection' }
  | { readonly kind: 'close' }

/** What a service says of itself once it responds. */
export interface ServiceFacts {
  readonly port: number
  readonly host: string
  readonly stores: readonly ServedStore[]
  /** A line for each rule. */
  readonly routes: readonly string[]
}

/** What a runner sends to `resourcery dev`. */
export type RunnerNotice =
  | { readonly kind: 'prepared' }
  | { readonly kind: 'imports'; readonly imports: Imports }
  | { readonly kind: 'serving'; readonly facts: ServiceFacts }
  | { readonly kind: 'pages'; readonly paths: readonly string[] }
