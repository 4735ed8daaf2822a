import type { Context } from './context.ts'

export interface ItemsOptions {
  /**
   * The request in whose name the code acts: its hooks guard every read and write, and members that
   * clients cannot write are refused. Default: none, so that the code acts as the service. A
   * context that is undefined is refused.
   */
  readonly as?: Context
}
