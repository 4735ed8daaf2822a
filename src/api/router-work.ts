import type { ConsumeChanges, ConsumerOptions } from '../feature/consumers/consumer-options.ts'
import type { ConsumerReport } from '../feature/consumers/consumer-report.ts'
import type {
  RunScheduledJob,
  ScheduledJobOptions,
} from '../feature/scheduled-jobs/scheduled-job-options.ts'
import type { ScheduledJobReport } from '../feature/scheduled-jobs/scheduled-job-report.ts'
import type { AnyModel } from '../model/declare/model.ts'

/** Work of a router beside requests. One process of a service does it. */
export interface RouterWork {
  /**
   * Does work after changes of these models, and loses none: the function gets each change that the
   * log has after the position of the consumer, which the store keeps. The position is stored once
   * the function returns, so a change is given at least once, and changes of an item in their
   * order. With `inTransaction`, what the function writes with `items` is stored with the position:
   * exactly once.
   *
   * Of all processes of the service, one runs the consumer; another takes over within 10 s of a
   * crash. It begins with `open()` or `serve`, not with a request, and keeps the process running
   * until the router is closed, which waits for the function.
   *
   * When the function fails, it gets the changes one by one, then the one that fails again and
   * again, with growing pauses. After `attempts` it is put aside, as are later changes of the item,
   * and the consumer goes on. `onError` of the router hears of all of this, and of changes that the
   * log has lost before the consumer read them.
   *
   * ```ts
   * router.consume('mailer', { models: [Book] }, async (changes, { signal }) => {
   *   for (const { kind, after, key } of changes)
   *     if (kind === 'create')
   *       await fetch('https://mail.example', {
   *         method: 'POST',
   *         headers: { 'idempotency-key': key },
   *         body: `New: ${after.title}`,
   *         signal,
   *       })
   * })
   * ```
   *
   * @param name of the position: a consumer with another name begins anew
   * @throws RegistrationError for invalid options and a name that is used; when the router opens,
   * for models that it does not have or whose changes are not logged
   */
  consume<M extends AnyModel>(
    name: string,
    options: ConsumerOptions<M>,
    consume: ConsumeChanges<M>,
  ): this
  /**
   * How far each consumer is, of those that ever ran over the store: `resourcery consumers` prints
   * it. It opens the router and runs no consumer.
   *
   * ```ts
   * for (const { name, pendingCount } of await router.consumers()) console.log(name, pendingCount)
   * ```
   */
  consumers(): Promise<readonly ConsumerReport[]>
  /**
   * Has a consumer repeat what it has put aside, of each item until a change fails. The process
   * that runs it begins within a few seconds, between other changes.
   *
   * ```ts
   * await router.repeatAside('mailer')
   * ```
   *
   * @throws RegistrationError if the router has no such consumer
   */
  repeatAside(name: string): Promise<void>
  /**
   * Registers a scheduled job, such as one for each night. Of all processes of the service, one
   * runs it, once for each time; another runs it again within 10 s if that one crashes. With
   * `inTransaction`, what the function writes with `items` is stored with the record that the job
   * is done: exactly once.
   *
   * It begins with `open()` or `serve`, not with a request, and keeps the process running until the
   * router is closed, which waits for the function. Times that pass while no process runs, or while
   * the job runs, are made up for by one run.
   *
   * When the function fails, it runs again, with growing pauses, until all `attempts` are used or
   * the next time has come. `onError` of the router hears of all of this.
   *
   * ```ts
   * const nightly = { every: '1 day', at: '03:00', timeZone: 'Europe/Berlin' } as const
   * router.job('cheaper', nightly, async ({ items, signal }) => {
   *   for await (const { id, stock, price } of items(Book).find()) {
   *     signal.throwIfAborted()
   *     if (stock > 100) await items(Book).update(id, { price: price / 2 })
   *   }
   * })
   * ```
   *
   * @param name of the record of its times: a job with another name begins anew
   * @throws RegistrationError for invalid options, a name that is used, and after the first request
   */
  job(name: string, options: ScheduledJobOptions, run: RunScheduledJob): this
  /**
   * What became of each scheduled job, and when it runs next, of those that ever were registered
   * over the store: `resourcery jobs` prints it. It opens the router and has no job wait for its
   * times. What `jobs()` of `resourcery/jobs` carries out is not among them.
   *
   * ```ts
   * for (const { name, nextAt } of await router.jobs()) console.log(name, nextAt)
   * ```
   */
  jobs(): Promise<readonly ScheduledJobReport[]>
  /**
   * Runs a scheduled job now, once, in this process: after the run of another process, if there is
   * one. Its next time stays.
   *
   * ```ts
   * await router.runJob('cheaper')
   * ```
   *
   * @throws what the function throws; RegistrationError if the router has no such job
   */
  runJob(name: string): Promise<void>
}
