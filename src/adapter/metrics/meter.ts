/** What tells the values of a metric apart. */
export type Labels = Readonly<Record<string, string | number>>

interface MetricOptions {
  readonly description: string
  readonly unit: string
}

interface HistogramOptions extends MetricOptions {
  readonly advice: { readonly explicitBucketBoundaries: number[] }
}

/** Gets the values of a gauge when somebody reads it. */
export interface GaugeResult {
  observe(value: number, labels?: Labels): void
}

interface ObservableGauge {
  addCallback(callback: (result: GaugeResult) => void): void
  removeCallback(callback: (result: GaugeResult) => void): void
}

/** What makes metrics: the part of the API of OpenTelemetry that the service uses. */
export interface Meter {
  createHistogram(
    name: string,
    options: HistogramOptions,
  ): { record(value: number, labels?: Labels, context?: unknown): void }
  createUpDownCounter(
    name: string,
    options: MetricOptions,
  ): { add(value: number, labels?: Labels): void }
  createObservableUpDownCounter(name: string, options: MetricOptions): ObservableGauge
}
