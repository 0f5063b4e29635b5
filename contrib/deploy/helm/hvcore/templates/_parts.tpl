{{- define "hvcore.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{- define "hvcore.selector" -}}
app.kubernetes.io/name: hvcore
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "hvcore.labels" -}}
{{ include "hvcore.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "hvcore.image" -}}
{{- $tag := .Values.image.tag | default .Chart.AppVersion -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}:{{ $tag }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ $tag }}
{{- end -}}
{{- end }}

{{- /* What every container of ours may do, and where it may write. */ -}}
{{- define "hvcore.confined" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{- /* The settings of a container: takes root and restartPolicy, and env if it has more. */ -}}
{{- define "hvcore.settings" -}}
env:
  {{- range $name, $key := .root.Values.secret.files }}
  - name: {{ $name }}_FILE
    value: /run/secrets/hvcore/{{ $key }}
  {{- end }}
  {{- if and .root.Values.metrics.enabled (not .restartPolicy) }}
  - name: HV_METRICS__LISTEN
    value: "0.0.0.0:{{ .root.Values.metrics.port }}"
  {{- end }}
  {{- if not .restartPolicy }}
  - name: HV_SERVER__HEARTBEAT_PATH
    value: /tmp/hv-alive
  {{- end }}
  {{- range $name, $value := .env }}
  - name: {{ $name }}
    value: {{ $value | quote }}
  {{- end }}
envFrom:
  - configMapRef:
      name: {{ include "hvcore.name" .root }}-settings
{{- end }}

{{- /* A process without a port sets the time of a file every 2 s while it goes on. */ -}}
{{- define "hvcore.heartbeat" -}}
startupProbe:
  exec:
    command: [test, -e, /tmp/hv-alive]
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  exec:
    command: [sh, -c, 'test -n "$(find /tmp/hv-alive -mmin -3)"']
  periodSeconds: 20
  timeoutSeconds: 5
  failureThreshold: 3
{{- end }}

{{- /* The pod of a process. Takes root, component, command, resources; port,
startsFfmpeg and backups (a volume claim) where they apply. */ -}}
{{- define "hvcore.pod" -}}
{{- $unmasked := and .startsFfmpeg (eq .root.Values.confinement "unmasked") -}}
metadata:
  labels:
    {{- include "hvcore.labels" . | nindent 4 }}
  annotations:
    # A change of settings starts the pods anew.
    checksum/settings: {{ toJson .root.Values.settings | sha256sum }}
    {{- if and .root.Values.metrics.enabled (not .restartPolicy) }}
    prometheus.io/scrape: "true"
    prometheus.io/port: {{ .root.Values.metrics.port | quote }}
    {{- end }}
spec:
  {{- include "hvcore.placed" . | nindent 2 }}
  # Longer than any process takes to finish its requests or hand its tasks back.
  terminationGracePeriodSeconds: 45
  {{- if $unmasked }}
  hostUsers: false
  {{- end }}
  securityContext:
    {{- include "hvcore.user" (ternary "Unconfined" "RuntimeDefault" $unmasked) | nindent 4 }}
  containers:
    - name: {{ .component }}
      image: {{ include "hvcore.image" .root | quote }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      args:
        {{- toYaml .command | nindent 8 }}
      {{- include "hvcore.settings" . | nindent 6 }}
      {{- if .port }}
      ports:
        - name: http
          containerPort: {{ .port }}
      startupProbe:
        httpGet: {path: /health/live, port: http}
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet: {path: /health/live, port: http}
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: {path: /health/ready, port: http}
        periodSeconds: 5
        timeoutSeconds: 5
        failureThreshold: 2
      {{- else if not .restartPolicy }}
      {{- include "hvcore.heartbeat" . | nindent 6 }}
      {{- end }}
      {{- include "hvcore.confined" . | nindent 6 }}
        {{- if $unmasked }}
        procMount: Unmasked
        {{- end }}
      resources:
        {{- toYaml .resources | nindent 8 }}
      volumeMounts:
        - {name: data, mountPath: /data}
        - {name: tmp, mountPath: /tmp}
        - {name: secrets, mountPath: /run/secrets/hvcore, readOnly: true}
        {{- if .backups }}
        - {name: backups, mountPath: /backups}
        {{- end }}
  volumes:
    {{- include "hvcore.volumes" .root | nindent 4 }}
    {{- with .backups }}
    - name: backups
      persistentVolumeClaim:
        claimName: {{ . }}
    {{- end }}
{{- end }}

{{- /* Where a pod runs, and what it gets of the cluster. */ -}}
{{- define "hvcore.placed" -}}
{{- with .root.Values.imagePullSecrets -}}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{ end -}}
{{- with .root.Values.serviceAccount.name -}}
serviceAccountName: {{ . }}
{{ end -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- if .restartPolicy }}
restartPolicy: {{ .restartPolicy }}
{{- else }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "hvcore.selector" . | nindent 8 }}
{{- end }}
{{- end }}

{{- /* Who runs a pod; takes the type of its seccomp profile. */ -}}
{{- define "hvcore.user" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile:
  type: {{ . }}
{{- end }}

{{- define "hvcore.volumes" -}}
- name: data
  emptyDir:
    sizeLimit: {{ .Values.scratch.sizeLimit }}
- name: tmp
  emptyDir:
    sizeLimit: 1Gi
- name: secrets
  secret:
    secretName: {{ .Values.secret.name }}
    # Of the group: the files are root's.
    defaultMode: 0440
{{- end }}

{{- /* A Deployment. Takes what the pod takes, and replicas: none where KEDA decides. */ -}}
{{- define "hvcore.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "hvcore.name" .root }}-{{ .component }}
  labels:
    {{- include "hvcore.labels" . | nindent 4 }}
spec:
  {{- if .replicas }}
  replicas: {{ .replicas }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "hvcore.selector" . | nindent 6 }}
  strategy:
    rollingUpdate:
      {{- if .port }}
      maxUnavailable: 0
      {{- else }}
      maxUnavailable: 25%
      {{- end }}
      maxSurge: 1
  template:
    {{- include "hvcore.pod" . | nindent 4 }}
{{- end }}
