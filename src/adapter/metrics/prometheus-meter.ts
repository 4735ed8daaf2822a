import type { GaugeResult, Labels, Meter } from './meter.ts'

/** The values of a metric in the text format of Prometheus, without the lines that describe it. */
type ReadLines = (name: string) => readonly string[]

/** The parts of names that say units, by the symbols of UCUM that metrics have. */
const unitNames: Readonly<Record<string, string>> = { s: '_seconds' }

/** Keeps metrics in memory, for whoever reads them (Prometheus, text format 0.0.4). */
export class PrometheusMeter implements Meter {
  readonly #texts: (() => string)[] = []

  createHistogram(...[name, options]: Parameters<Meter['createHistogram']>): Histogram {
    const histogram = new Histogram(options.advice.explicitBucketBoundaries)
    this.#add(name, options, 'histogram', (metric) => histogram.lines(metric))
    return histogram
  }

  createUpDownCounter(...[name, options]: Parameters<Meter['createUpDownCounter']>): Counter {
    const counter = new Counter()
    this.#add(name, options, 'gauge', (metric) => counter.lines(metric))
    return counter
  }

  createObservableUpDownCounter(
    ...[name, options]: Parameters<Meter['createObservableUpDownCounter']>
  ): ReturnType<Meter['createObservableUpDownCounter']> {
    const callbacks = new Set<(result: GaugeResult) => void>()
    this.#add(name, options, 'gauge', (metric) => {
      const counter = new Counter()
      for (const callback of callbacks)
        callback({ observe: (value, labels) => counter.add(value, labels) })
      return counter.lines(metric)
    })
    return {
      addCallback: (callback) => void callbacks.add(callback),
      removeCallback: (callback) => void callbacks.delete(callback),
    }
  }

  /** All metrics that have values. */
  text(): string {
    return this.#texts.map((text) => text()).join('')
  }

  #add(
    name: string,
    { description, unit }: { readonly description: string; readonly unit: string },
    type: 'histogram' | 'gauge',
    read: ReadLines,
  ): void {
    const metric = `${name.replaceAll(/\W/g, '_')}${unitNames[unit] ?? ''}`
    this.#texts.push(() => {
      const lines = read(metric)
      if (lines.length === 0) return ''
      return [`# HELP ${metric} ${description}`, `# TYPE ${metric} ${type}`, ...lines, ''].join(
        '\n',
      )
    })
  }
}

class Counter {
  readonly #values = new Map<string, number>()

  add(value: number, labels?: Labels): void {
    const key = labelText(labels)
    this.#values.set(key, (this.#values.get(key) ?? 0) + value)
  }

  lines(metric: string): readonly string[] {
    return [...this.#values].map(([labels, value]) => `${metric}${inBraces(labels)} ${value}`)
  }
}

interface Distribution {
  readonly counts: number[]
  sum: number
}

class Histogram {
  readonly #bounds: readonly number[]
  readonly #distributions = new Map<string, Distribution>()

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
  }

  record(value: number, labels?: Labels): void {
    const key = labelText(labels)
    let distribution = this.#distributions.get(key)
    if (!distribution) {
      distribution = { counts: new Array(this.#bounds.length + 1).fill(0), sum: 0 }
      this.#distributions.set(key, distribution)
    }
    const bucket = this.#bounds.findIndex((bound) => value <= bound)
    distribution.counts[bucket < 0 ? this.#bounds.length : bucket]!++
    distribution.sum += value
  }

  lines(metric: string): readonly string[] {
    return [...this.#distributions].flatMap(([labels, { counts, sum }]) => {
      let count = 0
      const buckets = [...this.#bounds, '+Inf'].map((bound, index) => {
        count += counts[index]!
        const bucketLabels = [labels, `le="${bound}"`].filter(Boolean).join(',')
        return `${metric}_bucket${inBraces(bucketLabels)} ${count}`
      })
      return [
        ...buckets,
        `${metric}_sum${inBraces(labels)} ${sum}`,
        `${metric}_count${inBraces(labels)} ${count}`,
      ]
    })
  }
}

function inBraces(labels: string): string {
  return labels === '' ? '' : `{${labels}}`
}

function labelText(labels: Labels = {}): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name.replaceAll(/\W/g, '_')}="${escaped(String(value))}"`)
    .join(',')
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
