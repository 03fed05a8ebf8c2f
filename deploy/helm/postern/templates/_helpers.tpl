{{- define "postern.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "postern.image" -}}
{{- with .Values.image.digest -}}
{{ $.Values.image.repository }}@{{ . }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "postern.selector" -}}
app.kubernetes.io/name: postern
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "postern.labels" -}}
{{ include "postern.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "postern.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "postern.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* The settings of a process: dict "root" $ "roles" "api" "hostThreads" 1 "isApi" true. Only the api has the operator's token. */}}
{{- define "postern.env" -}}
{{- $keys := .root.Values.secretKeys -}}
- name: POSTERN_PUBLIC_URL
  value: {{ required "publicUrl is needed: the https address that browsers use" .root.Values.publicUrl | quote }}
- name: POSTERN_ROLES
  value: {{ .roles | quote }}
{{- with .hostThreads }}
- name: POSTERN_HOST_THREADS
  value: {{ . | quote }}
{{- end }}
- name: POSTERN_SECRET_KEY_FILE
  value: /run/secrets/postern/{{ $keys.secretKey }}
{{- if .isApi }}
- name: POSTERN_OPERATOR_TOKEN_FILE
  value: /run/secrets/postern/{{ $keys.operatorToken }}
{{- end }}
- name: POSTERN_METRICS_TOKEN_FILE
  value: /run/secrets/postern/{{ $keys.metricsToken }}
{{- if eq .root.Values.store "postgres" }}
- name: POSTERN_DATABASE_URL_FILE
  value: /run/secrets/postern/{{ $keys.databaseUrl }}
{{- with $keys.databaseDirectUrl }}
- name: POSTERN_DATABASE_DIRECT_URL_FILE
  value: /run/secrets/postern/{{ . }}
{{- end }}
{{- end }}
{{- with .root.Values.mediaBucket }}
{{- if .endpoint }}
- name: POSTERN_MEDIA_S3_ENDPOINT
  value: {{ .endpoint | quote }}
- name: POSTERN_MEDIA_S3_BUCKET
  value: {{ required "mediaBucket.bucket is needed: the name of the bucket" .bucket | quote }}
- name: POSTERN_MEDIA_S3_REGION
  value: {{ .region | quote }}
- name: POSTERN_MEDIA_S3_ACCESS_KEY_ID_FILE
  value: /run/secrets/postern/{{ $keys.mediaAccessKeyId }}
- name: POSTERN_MEDIA_S3_SECRET_ACCESS_KEY_FILE
  value: /run/secrets/postern/{{ $keys.mediaSecretAccessKey }}
{{- end }}
{{- end }}
{{- with $keys.smtpUrl }}
- name: POSTERN_SMTP_URL_FILE
  value: /run/secrets/postern/{{ . }}
{{- end }}
{{- with $keys.otlpHeaders }}
- name: OTEL_EXPORTER_OTLP_HEADERS
  valueFrom:
    secretKeyRef: { name: {{ $.root.Values.existingSecret }}, key: {{ . }} }
{{- end }}
{{- range $name, $value := .root.Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

{{/* The secrets of a process: dict "root" $ "isApi" true */}}
{{- define "postern.secretVolume" -}}
{{- $keys := .root.Values.secretKeys -}}
- name: secrets
  secret:
    secretName: {{ required "existingSecret is needed: the name of the secret that holds secret_key and the others" .root.Values.existingSecret }}
    defaultMode: 0440
    items:
      - key: {{ $keys.secretKey }}
        path: {{ $keys.secretKey }}
{{- if .isApi }}
      - key: {{ $keys.operatorToken }}
        path: {{ $keys.operatorToken }}
{{- end }}
      - key: {{ $keys.metricsToken }}
        path: {{ $keys.metricsToken }}
{{- if eq .root.Values.store "postgres" }}
      - key: {{ $keys.databaseUrl }}
        path: {{ $keys.databaseUrl }}
{{- with $keys.databaseDirectUrl }}
      - key: {{ . }}
        path: {{ . }}
{{- end }}
{{- end }}
{{- if .root.Values.mediaBucket.endpoint }}
      - key: {{ $keys.mediaAccessKeyId }}
        path: {{ $keys.mediaAccessKeyId }}
      - key: {{ $keys.mediaSecretAccessKey }}
        path: {{ $keys.mediaSecretAccessKey }}
{{- end }}
{{- with $keys.smtpUrl }}
      - key: {{ . }}
        path: {{ . }}
{{- end }}
{{- end -}}

{{/* One process: dict "root" $ "role" "api" "roles" "api" "values" .Values.api */}}
{{- define "postern.podTemplate" -}}
{{- $values := .root.Values -}}
metadata:
  labels:
    {{- include "postern.selector" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
    {{- with $values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  automountServiceAccountToken: false
  # A service called postern would set POSTERN_PORT, which is a setting of the gateway.
  enableServiceLinks: false
  securityContext:
    {{- include "postern.podSecurity" .root | nindent 4 }}
  # A drain takes at most 20 seconds, after the pause before it.
  terminationGracePeriodSeconds: 45
  {{- with $values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "postern.selector" .root | nindent 10 }}
          app.kubernetes.io/component: {{ .role }}
  containers:
    - name: postern
      image: {{ include "postern.image" .root | quote }}
      imagePullPolicy: {{ $values.image.pullPolicy }}
      securityContext:
        {{- include "postern.containerSecurity" .root | nindent 8 }}
      env:
        {{- include "postern.env" (dict "root" .root "roles" .roles "hostThreads" .values.hostThreads "isApi" .isApi) | nindent 8 }}
      ports:
        {{- if .isApi }}
        - name: http
          containerPort: 8080
        {{- end }}
        - name: metrics
          containerPort: 9464
      # The process waits for the database up to POSTERN_DATABASE_WAIT, and does not listen before that.
      startupProbe:
        httpGet: { path: /healthz, port: metrics }
        periodSeconds: 3
        timeoutSeconds: 3
        failureThreshold: 60
      # Only the process itself: an unreachable database must not restart it, because connections survive the outage.
      livenessProbe:
        httpGet: { path: /healthz, port: metrics }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      # The database accepts writes, and every role of the process works.
      readinessProbe:
        httpGet: { path: /readyz, port: metrics }
        periodSeconds: 5
        timeoutSeconds: 5
        failureThreshold: 3
      {{- if .isApi }}
      # Gives the load balancer time to stop routing to this process. The image has no shell.
      lifecycle:
        preStop:
          exec:
            command: [node, -e, "setTimeout(() => {}, 10000)"]
      {{- end }}
      resources:
        {{- toYaml .values.resources | nindent 8 }}
      volumeMounts:
        - name: secrets
          mountPath: /run/secrets/postern
          readOnly: true
        - name: data
          mountPath: /data
        - name: tmp
          mountPath: /tmp
  volumes:
    {{- include "postern.secretVolume" (dict "root" .root "isApi" .isApi) | nindent 4 }}
    - name: tmp
      emptyDir: {}
    {{- if eq $values.store "postgres" }}
    - name: data
      emptyDir: {}
    {{- end }}
{{- end -}}
